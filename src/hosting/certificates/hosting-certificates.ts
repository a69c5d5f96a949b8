/** The certificates of a running store: which names want one, and the checks before an order. */

import type { Hold } from '../../access/owner/hold.ts'
import type { AttentionSource } from '../../api/attention.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { Announcements } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import type { Writer } from '../../database/writer.ts'
import { isOfProbe, probeFindings } from '../../dns/http-probe.ts'
import type { Diagnosis, Finding } from '../../dns/report.ts'
import type { CaaExpectation } from '../../dns/request.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Job } from '../../lib/scheduler.ts'
import { type ExamineParts, examine, relevantFindings } from '../domains/checks/examine.ts'
import type { DomainHosting } from '../domains/parts.ts'
import type { DomainStore } from '../domains/store.ts'
import type { ProjectStore } from '../projects/store.ts'
import type { CheckBeforeOrder, OrderCheck } from './attempt.ts'
import { createCertificateAttention } from './attention.ts'
import { type Authority, type CertificateNames, type Certificates, createCertificates } from './create.ts'

export interface HostingCertificateParts {
  readonly tables: Tables
  readonly writer: Writer
  readonly announcements: Announcements
  readonly hold: Pick<Hold, 'isOnHold'>
  readonly clock: Clock
  readonly log: Log
  readonly hosting: HostingConfig
  readonly filesDirectory: string
  readonly projects: ProjectStore
  readonly domains: DomainStore
}

export interface HostingCertificates extends Omit<Certificates, 'jobs'> {
  /** What orders and renews certificates. Domains show the state of certificates, so these exist before them. */
  jobs(domainHosting: DomainHosting): readonly Job[]
  /** The certificate authority that CAA records must allow; undefined while it is unknown. */
  caa(): CaaExpectation | undefined
  /** Names whose certificate has failed or expires soon, as items of the overview. */
  readonly attention: AttentionSource
  /** Names for which `--platform-cert` is valid need no other certificate. */
  setCovered(covers: (name: string) => boolean): void
}

export function createHostingCertificates(parts: HostingCertificateParts): HostingCertificates {
  const { hosting, projects, announcements, hold } = parts
  let isCovered: (name: string) => boolean = () => false
  let isOpen = false

  const { acmeDirectory, acmeEmail, acmeEab } = hosting
  const created = createCertificates({ ...parts, acmeDirectory, acmeEmail, acmeEab })
  announcements.subscribe(['projects', 'deploys', 'routing'], () => created.wake())

  function namesWith({ routes, platform, domainHistory }: DomainHosting): CertificateNames {
    if (!platform) throw new Error('hosting is off')
    return {
      *wanted() {
        const api = `api.${hosting.platformDomain}`
        if (!isCovered(api)) yield { hostname: api, accountId: null, kind: 'api' }
        yield* routes.wantedCertificates()
        for (const { slug, accountId } of projects.published()) {
          const hostname = `${slug}.${hosting.sitesDomain}`
          if (!isCovered(hostname)) yield { hostname, accountId, kind: 'slug' }
        }
      },
      checkBeforeOrder: createOrderCheck({ ...parts, platform }),
      addToHistory(hostname, outcome, message) {
        const holder = parts.domains.holderOf(hostname)
        if (!holder) return
        const entry = {
          projectId: holder.projectId,
          hostname,
          at: parts.clock.now(),
          type: 'certificate',
          message,
        } as const
        domainHistory.add(entry, `certificate.${outcome}`)
      },
    }
  }

  /** No order before it is known which certificates there are, nor while another machine may order the same. */
  const whileOpen = (job: Job): Job => ({
    ...job,
    run: (signal) => (isOpen && !hold.isOnHold() ? job.run(signal) : undefined),
  })

  return {
    ...created,
    jobs: (domainHosting) => created.jobs(namesWith(domainHosting)).map(whileOpen),
    async open() {
      await created.open()
      isOpen = true
    },
    attention: createCertificateAttention(parts),
    caa: () => caaExpectation(hosting, created.authority()),
    setCovered(covers) {
      isCovered = covers
      created.wake()
    },
  }
}

/**
 * By the options, or else by what the directory and the account of the authority say. Undefined while neither names an
 * identity.
 */
function caaExpectation(
  { caaIdentities: given }: Pick<HostingConfig, 'caaIdentities'>,
  { caaIdentities: published, accountUri }: Authority,
): CaaExpectation | undefined {
  const identities = given.length > 0 ? given : published
  if (identities.length === 0) return undefined
  return { identities, method: 'http-01', ...(accountUri === undefined ? {} : { accountUri }) }
}

interface OrderCheckParts extends ExamineParts {
  readonly hosting: Pick<HostingConfig, 'platformDomain' | 'sitesDomain'>
}

/**
 * The checks before an order: one that fails would count against the limits of the authority. The records of a custom
 * domain must be proven; any name must be allowed by CAA.
 */
export function createOrderCheck(parts: OrderCheckParts): CheckBeforeOrder {
  const { hosting } = parts
  return (hostname, signal) => {
    const isOwn = [hosting.platformDomain, hosting.sitesDomain].some((name) => hostname.endsWith(`.${name}`))
    return isOwn ? checkOwnName(parts, hostname, signal) : checkDomainName(parts, hostname, signal)
  }
}

async function checkDomainName(parts: OrderCheckParts, hostname: string, signal: AbortSignal): Promise<OrderCheck> {
  const holder = parts.domains.holderOf(hostname)
  const claim = holder && parts.domains.findClaim(holder.id)
  const found = claim && (await examine(parts, claim, signal, true))
  if (!found) return held([])
  const { report, verdict } = found
  const wasHeld = parts.domains.wasHeldByAnother(hostname, claim.accountId)
  return orderCheck(report, relevantFindings(report, wasHeld), verdict.kind === 'proven')
}

/** A name below the platform's own domains: whoever runs the platform has made its records. */
async function checkOwnName({ platform }: OrderCheckParts, hostname: string, signal: AbortSignal) {
  const [{ checkAddresses }, { checkDomain }] = await Promise.all([
    import('../../dns/platform.ts'),
    import('../../dns/check.ts'),
  ])
  const caa = platform.caa()
  const options = { ...platform.checkOptions(), signal }
  const publicAddresses = platform.publicAddresses()
  const acceptedAddresses = platform.acceptedAddresses()
  const [report, probed, misled] = await Promise.all([
    checkDomain({ hostname, publicAddresses, acceptedAddresses, ...(caa ? { caa } : {}) }, options),
    platform.probe ? probeFindings(platform.probe, hostname, publicAddresses, signal) : [],
    checkAddresses([[hostname, hostname]], acceptedAddresses, options),
  ])
  return orderCheck(report, [...misled, ...report.findings, ...probed], misled.length === 0)
}

function orderCheck({ caa }: Diagnosis, findings: readonly Finding[], isRight: boolean): OrderCheck {
  // The authority validates signatures: it would not find the name.
  const isAllowed =
    (caa === 'verified' || caa === 'not_checked') && findings.every(({ code }) => code !== 'dnssec_bogus')
  // The authority may get through where this machine does not, as behind a home router.
  if (isRight && isAllowed) return { verdict: 'allowed', warnings: findings.filter(isOfProbe) }
  return held(findings.filter((one) => !isOfProbe(one)))
}

function held(findings: readonly Finding[]): OrderCheck {
  return { verdict: 'held', findings }
}
