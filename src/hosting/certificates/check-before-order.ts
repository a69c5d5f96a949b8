/**
 * The checks before a certificate is ordered: an order that must fail would count against the limits of the authority.
 */

import type { HostingConfig } from '../../config/hosting.ts'
import { isOfProbe, probeFindings } from '../../dns/http-probe.ts'
import type { Diagnosis, Finding } from '../../dns/report.ts'
import { type ExamineParts, examine } from '../domains/checks/examine.ts'
import { relevantFindings } from '../domains/checks/verdict.ts'
import type { CheckBeforeOrder, OrderCheck } from './attempt.ts'

export interface OrderCheckParts extends ExamineParts {
  readonly hosting: Pick<HostingConfig, 'platformDomain' | 'sitesDomain'>
}

/** The records of a custom domain must be proven; any name must be allowed by CAA. */
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
