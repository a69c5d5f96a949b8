/** Composes the sources of what needs the owner's attention. */

import type { AccountStore } from '../../access/accounts/store.ts'
import type { AuditStore } from '../../access/audit/store.ts'
import { expiringMs } from '../../access/keys/rules.ts'
import type { KeyStore } from '../../access/keys/store.ts'
import { dayMs } from '../../access/limits/days.ts'
import type { Hold } from '../../access/owner/hold.ts'
import type { OwnerStore } from '../../access/owner/store.ts'
import type { Attention, AttentionSource } from '../../api/attention.ts'
import type { FaultMonitor } from '../../database/faults/monitor.ts'
import type { DomainStore } from '../../hosting/domains/store.ts'
import type { ProjectStore } from '../../hosting/projects/store.ts'
import type { WebsiteStore } from '../../hosting/webshop/store.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'
import type { OrderStore } from '../../shop/orders/store.ts'
import { isOfOtherStore, madeBackups } from '../backups/folder.ts'
import { hasCome } from '../backups/rules.ts'
import { createClockAttention, createDiskAttention, createStorageAttention } from './machine.ts'

/** The most items of one source. */
const itemsOfSource = 50

const waitingMs = dayMs
const backupMs = 7 * dayMs

export function createAttention(parts: {
  readonly orders: Pick<OrderStore, 'waitingSince'>
  readonly keys: Pick<KeyStore, 'bannedAt' | 'expiring'>
  readonly accounts: Pick<AccountStore, 'page'>
  readonly domains: Pick<DomainStore, 'faulty'>
  readonly projects: Pick<ProjectStore, 'hasPublished'>
  readonly websites: Pick<WebsiteStore, 'find'>
  readonly owner: Pick<OwnerStore, 'installation'>
  readonly hold: Pick<Hold, 'sinceMs'>
  readonly clock: Pick<Clock, 'now'>
  /** Undefined if hosting is off. */
  readonly hosting?: unknown
  readonly databasePath: string
  readonly environment: Environment
  readonly audit: Pick<AuditStore, 'page'>
  readonly faults: Pick<FaultMonitor, 'lasting'>
  /**
   * Milliseconds by which the clock differs from that of the certificate authority; undefined if it does not, or is
   * unknown.
   */
  readonly clockWrongByMs: () => number | undefined
}): Attention {
  const { orders, keys, accounts, domains, projects, websites, owner, hold, clock, audit, databasePath, environment } =
    parts
  const startedMs = clock.now()
  const sources: AttentionSource[] = [
    createStorageAttention(parts.faults),
    createDiskAttention(databasePath),
    createClockAttention({ audit, clock, wrongByMs: parts.clockWrongByMs }),
    (nowMs, limit) =>
      orders
        .waitingSince(nowMs - waitingMs, limit)
        .map(({ id, petName, createdAt }) => ({ kind: 'order_waiting', id, name: petName, sinceMs: createdAt })),
    (nowMs, limit) =>
      keys
        .bannedAt(nowMs, limit)
        .map(({ id, name, bannedAt }) => ({ kind: 'key_banned', id, name, sinceMs: bannedAt ?? nowMs })),
    (nowMs, limit) =>
      keys.expiring(nowMs, nowMs + expiringMs, limit).map(({ id, name, createdAt, expiresAt }) => {
        const sinceMs = Math.max(createdAt, (expiresAt ?? nowMs) - expiringMs)
        return { kind: 'key_expiring', id, name, sinceMs, expiresMs: expiresAt }
      }),
    (_, limit) =>
      domains.faulty(limit).map(({ projectId, hostname, sinceMs, hasDrifted }) => ({
        kind: hasDrifted ? 'domain_degraded' : 'domain',
        id: projectId,
        name: hostname,
        sinceMs,
      })),
    () => {
      const sinceMs = hold.sinceMs()
      return sinceMs === null ? [] : [{ kind: 'restored_elsewhere', id: null, name: null, sinceMs }]
    },
    () =>
      parts.hosting === undefined && projects.hasPublished()
        ? [{ kind: 'hosting_off', id: null, name: null, sinceMs: startedMs }]
        : [],
    () => {
      const website = websites.find()
      const isMissing = website?.language === 'de' && website.imprint === null
      return isMissing ? [{ kind: 'imprint_missing', id: null, name: null, sinceMs: website.updatedAt }] : []
    },
    (nowMs) => {
      if (databasePath === ':memory:') return []
      const item = { id: null, name: null }
      try {
        const { storeId } = owner.installation()
        const newest = madeBackups({ databasePath, environment }).find(
          ({ file, createdAt }) => hasCome(Date.parse(createdAt), nowMs) && !isOfOtherStore(file, storeId),
        )
        // A new store needs its first backup after as long as any other.
        const last = newest ? Date.parse(newest.createdAt) : (accounts.page(0, 1)[0]?.createdAt ?? nowMs)
        return last + backupMs > nowMs ? [] : [{ ...item, kind: 'backup_overdue', sinceMs: last + backupMs }]
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return [{ ...item, kind: 'backups_unreadable', sinceMs: nowMs }]
      }
    },
  ]

  return {
    add(source) {
      sources.push(source)
    },
    items: (nowMs) => sources.flatMap((source) => source(nowMs, itemsOfSource)).sort((a, b) => a.sinceMs - b.sinceMs),
  }
}
