/** The parts of domains of a running server. */

import type { AccountStore } from '../../access/accounts/store.ts'
import type { AuditStore } from '../../access/audit/store.ts'
import type { EventWriter } from '../../access/events/log.ts'
import type { EventType } from '../../access/events/rules.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { Announcements } from '../../database/announcements.ts'
import type { Writer } from '../../database/writer.ts'
import type { HttpProbe } from '../../dns/http-probe.ts'
import type { Finding } from '../../dns/report.ts'
import type { CaaExpectation, CheckOptions } from '../../dns/request.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ProjectRow, ProjectStore } from '../projects/store.ts'
import type { CertificateStatus } from '../projects/view.ts'
import { createDomainChecks } from './checks/checks.ts'
import { createPlatform, queryOptions } from './checks/platform.ts'
import { type DomainStatus, eventOfEntry } from './events.ts'
import type { DomainHistory, DomainHistoryEntry } from './history.ts'
import { createDomainRoutes } from './routing-table.ts'
import { isValid, noCertificate } from './state.ts'
import type { DomainRow, DomainStore } from './store.ts'
import { toDomain } from './view.ts'

export interface DomainHostingOptions {
  readonly domains: DomainStore
  readonly domainHistory: DomainHistory
  readonly projects: ProjectStore
  readonly accounts: AccountStore
  readonly audit: AuditStore
  readonly events: EventWriter
  readonly writer: Writer
  readonly announcements: Announcements
  readonly clock: Clock
  readonly log: Log
  /** Undefined while hosting is off: domains are listed and removed, and neither added nor checked. */
  readonly hosting: HostingConfig | undefined
  readonly dns?: TestDns | undefined
  readonly certificateOf: (hostname: string, accountId?: number) => CertificateStatus
  /** The findings about the certificate of a domain. */
  readonly certificateFindings?: ((hostname: string, accountId?: number) => readonly Finding[]) | undefined
  /** Called when somebody has verified a domain with success, with its findings: an order that waits is tried again. */
  readonly retryCertificate?: ((hostname: string, findings: readonly string[]) => Promise<void>) | undefined
  /** Called when an account no longer has a name: its certificate is out of use at once. */
  readonly releaseCertificate?: ((hostname: string) => void) | undefined
  /** Fetches a page of this service from its public addresses, for findings about ports and routers. */
  readonly probe?: HttpProbe | undefined
  /** The certificate authority that CAA records must allow; undefined while it is unknown. */
  readonly caa?: (() => CaaExpectation | undefined) | undefined
}

/** Replaces how servers are queried and addresses are probed, for tests. */
export type TestDns = Partial<CheckOptions> & { readonly probe?: HttpProbe }

export function createDomainHosting(options: DomainHostingOptions) {
  const { domains, projects, events, clock, log, hosting, writer } = options
  const certificateOf = hosting?.httpsPort === 'off' ? undefined : options.certificateOf
  // Nobody is sent away from a store that is tried out, which may be a copy of one with domains.
  const routes = createDomainRoutes({
    domains,
    certificateOf: hosting?.isLocal ? () => noCertificate : certificateOf,
    clock,
    log,
  })
  routes.follow(options.announcements)
  if (options.releaseCertificate) routes.onRemoved(options.releaseCertificate)
  const write = <T>(work: () => T): Promise<T> => writer.writeRepeatable(work)
  const notifying = { ...options, domainHistory: { ...options.domainHistory, add } }
  const checking = hosting && !hosting.isLocal ? createChecking(notifying, hosting, write) : undefined

  function writeEvent(type: EventType, project: ProjectRow, row: DomainRow): void {
    const parts = { domains, platform: checking?.platform, certificateOf }
    const { state, dns, certificate } = toDomain(parts, project, row, clock.now())
    const status: DomainStatus = {
      projectId: project.id,
      hostname: row.hostname,
      state,
      dns: { status: dns.status },
      certificate: { status: certificate.status, expiresAt: certificate.expiresAt },
    }
    events.write(type, project.accountId, status)
  }

  /** Adds to the history of a domain, and writes the event. To be called in the transaction of the change. */
  function add(entry: DomainHistoryEntry, type = eventOfEntry[entry.type]): void {
    options.domainHistory.add(entry)
    const project = projects.find(entry.projectId)
    const row = domains.find(entry.projectId, entry.hostname)
    if (type && project && row) writeEvent(type, project, row)
  }

  return {
    ...notifying,
    write,
    certificateOf,
    routes,
    platform: checking?.platform,
    checks: checking?.checks,
    jobs: checking?.jobs ?? [],
    /** Removes the domains of a project that is deleted. */
    removeOf(project: ProjectRow): void {
      for (const { hostname } of domains.ofProject(project.id)) {
        const row = domains.find(project.id, hostname)
        if (row) writeEvent('domain.removed', project, row)
      }
      domains.removeOf(project.id)
    },
    /** Ends the checks in progress; to be called before the database is closed. */
    close: async (): Promise<void> => checking?.checks.close(),
  }
}
export type DomainHosting = ReturnType<typeof createDomainHosting>

function createChecking(
  options: DomainHostingOptions,
  hosting: HostingConfig,
  write: <T>(work: () => T) => Promise<T>,
) {
  const { clock, log, dns, caa, certificateOf } = options
  const queries = queryOptions(hosting)
  const checkOptions = () => ({ ...queries, ...dns })
  const hasCertificate = (hostname: string) => isValid(certificateOf(hostname), clock.now())
  const { platform, jobs } = createPlatform({
    hosting,
    clock,
    log,
    checkOptions,
    caa,
    probe: dns?.probe ?? options.probe,
    hasCertificate: hosting.httpsPort === 'off' ? undefined : hasCertificate,
  })
  const checks = createDomainChecks({ ...options, platform, write })
  return { platform, checks, jobs: [checks.job, ...jobs] }
}
