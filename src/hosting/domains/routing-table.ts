/**
 * The routing table of custom domains, in memory: which project serves a hostname, or where it redirects. Only names
 * that are proven to belong to a project are in it. It follows the database after each commit that changes routing.
 */

import { type Announcements, anyId, type IdSpan } from '../../database/announcements.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { CertificateStatus } from '../projects/view.ts'
import { isValid, noCertificate } from './state.ts'
import type { DomainStore, Holder } from './store.ts'

/** `to` is a hostname; path and query of the request are kept. */
export type Destination =
  | { readonly serve: true }
  | { readonly redirect: { readonly to: string; readonly status: number } }

export type DomainRoute = Destination & {
  readonly projectId: number
  /** Whether responses over HTTPS have `Strict-Transport-Security`. */
  readonly hsts: boolean
  /** Whether there is a valid certificate, so that HTTP can redirect to HTTPS. */
  readonly hasCertificate: boolean
}

export interface WantedCertificate {
  readonly hostname: string
  readonly accountId: number
  readonly kind: 'domain'
}

export function createDomainRoutes(parts: {
  readonly domains: Pick<DomainStore, 'holders'>
  /** Undefined where a proxy ends TLS. */
  readonly certificateOf: ((hostname: string, accountId: number) => CertificateStatus) | undefined
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}) {
  const { domains, certificateOf, clock, log } = parts
  const routes = new Map<string, Holder>()
  const primaries = new Map<number, Holder>()
  const listeners = new Set<(hostname: string) => void>()

  /**
   * Until when the certificate of a hostname is valid. Looking it up costs several queries, and every request needs it.
   */
  const validUntil = new Map<string, number>()

  function hasCertificate({ hostname, accountId }: Holder): boolean {
    let untilMs = validUntil.get(hostname)
    if (untilMs === undefined) {
      const status = certificateOf?.(hostname, accountId) ?? noCertificate
      untilMs = isValid(status, clock.now()) ? (status.expiresAt ?? 0) : 0
      validUntil.set(hostname, untilMs)
    }
    return untilMs > clock.now()
  }

  /** Visitors are sent to a primary only if it works: its records lead here, and it has a certificate. */
  function workingPrimary(projectId: number): Holder | undefined {
    const primary = primaries.get(projectId)
    if (!primary || primary.isDegraded) return undefined
    return certificateOf === undefined || hasCertificate(primary) ? primary : undefined
  }

  /** Follows a commit that changed the routing of domains with these ids. */
  function reload(ids: IdSpan): void {
    const current = new Map(domains.holders(ids).map((holder) => [holder.hostname, holder]))
    const before = [...routes.values()].filter(({ id }) => id >= ids.from && id <= ids.to)
    for (const hostname of new Set([...before.map((holder) => holder.hostname), ...current.keys()])) {
      if (set(hostname, current.get(hostname))) announceRemoval(hostname)
    }
  }

  /** Sets or removes a route; returns whether the account that had the hostname no longer has it. */
  function set(hostname: string, holder: Holder | undefined): boolean {
    const before = routes.get(hostname)
    if (before && primaries.get(before.projectId)?.hostname === hostname) primaries.delete(before.projectId)
    validUntil.delete(hostname)
    if (holder) {
      routes.set(hostname, holder)
      if (holder.isPrimary) primaries.set(holder.projectId, holder)
    } else routes.delete(hostname)
    return before !== undefined && before.accountId !== holder?.accountId
  }

  function announceRemoval(hostname: string): void {
    for (const listener of listeners) {
      try {
        listener(hostname)
      } catch (error) {
        log.error('a subscriber failed to process the removal of a domain', { hostname, error })
      }
    }
  }

  for (const holder of domains.holders(anyId)) set(holder.hostname, holder)
  return {
    /** The route of a hostname (A-labels, lower case); undefined for one that no project has proven to be its own. */
    find(hostname: string): DomainRoute | undefined {
      const holder = routes.get(hostname)
      if (!holder) return undefined
      const { projectId, hsts, redirectStatus } = holder
      const common = { projectId, hsts, hasCertificate: hasCertificate(holder) }
      const primary = holder.isPrimary ? undefined : workingPrimary(projectId)
      if (!primary) return { ...common, serve: true }
      return { ...common, redirect: { to: primary.hostname, status: redirectStatus } }
    },
    /** The active primary domain of a project, to which its slug redirects. */
    primaryOf: (projectId: number): string | undefined => workingPrimary(projectId)?.hostname,
    /** Every name that needs a certificate. */
    wantedCertificates(): WantedCertificate[] {
      return [...routes.values()].map(({ hostname, accountId }) => ({ hostname, accountId, kind: 'domain' }))
    },
    /**
     * Calls `listener` when an account no longer has a hostname: its certificate and a pending order are out of use at
     * once. Returns a function that unsubscribes.
     */
    onRemoved(listener: (hostname: string) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Follows the database. Returns a function that unsubscribes. */
    follow({ subscribe }: Pick<Announcements, 'subscribe'>): () => void {
      const unsubscribe = [
        subscribe(['routing'], (_, idsOf) => reload(idsOf('routing'))),
        subscribe(['certificates'], () => validUntil.clear()),
      ]
      return () => {
        for (const end of unsubscribe) end()
      }
    },
  }
}
export type DomainRoutes = ReturnType<typeof createDomainRoutes>
