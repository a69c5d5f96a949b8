/** The handlers of the endpoints of the status and of the examination. */

import { basename, dirname } from 'node:path'
import type { OwnerStore } from '../../access/owner/store.ts'
import type { Attention } from '../../api/attention.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { DomainHosting } from '../../hosting/domains/parts.ts'
import type { DomainStore } from '../../hosting/domains/store.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import type { Subprocesses } from '../../lib/subprocess.ts'
import { version } from '../../lib/version.ts'
import type { BackupCopies } from '../backups/away/create.ts'
import { madeBackups, type StorePlace } from '../backups/folder.ts'
import { hasCome } from '../backups/rules.ts'
import type { BackupSchedule } from '../backups/schedule/schedule.ts'
import type { OwnerMail } from '../mail/create.ts'
import type { RequestMetrics } from '../metrics/requests.ts'
import type { Check } from './check.ts'
import { checkStore } from './checks.ts'
import { doctorEndpoints } from './endpoints.ts'
import type { doctorTasks } from './examine.ts'
import type { ServicePort } from './machine.ts'
import { attentionText } from './words.ts'

export const doctorRoutes = (parts: {
  readonly databasePath: string
  readonly environment: Environment
  readonly clock: Clock
  readonly startedAt: number
  readonly pid: number | undefined
  readonly listening: { readonly address: string | null; readonly ports: readonly ServicePort[] }
  readonly requestMetrics: Pick<RequestMetrics, 'lastHour'>
  readonly attention: Attention
  readonly backupSchedule: Pick<BackupSchedule, 'view'>
  readonly backupCopies: Pick<BackupCopies, 'view'>
  readonly mail: Pick<OwnerMail, 'view'>
  readonly owner: Pick<OwnerStore, 'installation'>
  readonly hosting: HostingConfig | undefined
  readonly domains: Pick<DomainStore, 'countsByStatus'>
  readonly domainHosting: Pick<DomainHosting, 'platform'>
  readonly subprocesses: Subprocesses
  readonly endpointParts: EndpointParts
}) => {
  const { databasePath, environment, clock, listening, subprocesses, domainHosting, owner } = parts
  const examineTask: keyof typeof doctorTasks = 'examine-store'
  const nextBackup = () => parts.backupSchedule.view()?.nextAt ?? null
  let running: Promise<readonly Check[]> | undefined

  function check(): Promise<readonly Check[]> {
    running ??= checkStore({
      databasePath,
      environment,
      storeId: () => owner.installation().storeId,
      clock,
      isRunning: true,
      isForOwner: false,
      ports: listening.ports,
      examine: () => subprocesses.run<readonly Check[]>(examineTask, { databasePath, environment }),
      attention: parts.attention.items,
      nextBackup,
      copies: () => parts.backupCopies.view(),
      smtp: () => parts.mail.view().smtp,
      hosting: parts.hosting,
      domainCounts: parts.domains.countsByStatus,
      publicAddresses: () => domainHosting.platform?.publicAddresses() ?? [],
      dns: () => domainHosting.platform?.checkOptions() ?? { resolvers: [] },
    }).finally(() => {
      running = undefined
    })
    return running
  }

  return mount(
    doctorEndpoints,
    {
      getSystemStatus: () => ({
        version,
        environment,
        startedAt: new Date(parts.startedAt).toISOString(),
        pid: parts.pid ?? null,
        address: listening.address,
        ports: listening.ports,
        folder: databasePath === ':memory:' ? null : dirname(databasePath),
        lastHour: parts.requestMetrics.lastHour(),
        ...storeStatus({ databasePath, environment }, parts.attention, {
          storeId: owner.installation().storeId,
          nextAt: nextBackup(),
          nowMs: clock.now(),
        }),
      }),
      getSystemChecks: async () => {
        const checks = await check()
        return { ok: checks.every(({ ok }) => ok !== false), checks }
      },
    },
    parts.endpointParts,
  )
}

/** The part of the status that needs no server. */
export function storeStatus(
  place: StorePlace,
  attention: Pick<Attention, 'items'>,
  { storeId, nextAt, nowMs }: { readonly storeId?: string; readonly nextAt: string | null; readonly nowMs: number },
) {
  const backups = place.databasePath === ':memory:' ? [] : madeBackups(place, storeId)
  const newest = backups.find(({ createdAt }) => hasCome(Date.parse(createdAt), nowMs))
  return {
    attention: attention.items(nowMs).map((item) => {
      const { what: message, advice } = attentionText(item)
      return { kind: item.kind, id: item.id, since: new Date(item.sinceMs).toISOString(), message, advice }
    }),
    backups: {
      count: backups.length,
      nextAt,
      newest: newest ? { name: basename(newest.file), bytes: newest.bytes, createdAt: newest.createdAt } : null,
    },
  }
}
