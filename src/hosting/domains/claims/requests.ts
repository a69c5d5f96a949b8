/** The requests that check DNS before their transaction: adding a domain, and verifying it. */

import type { AuditContext } from '../../../access/audit/context.ts'
import type { Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/error.ts'
import type { ProjectRow } from '../../projects/store.ts'
import type { Platform } from '../checks/examine.ts'
import { waitedAfter } from '../checks/schedule.ts'
import type { Settled } from '../checks/settle.ts'
import type { Check } from '../checks/verify.ts'
import { addClaim, assertClaim, type ClaimedName, type ClaimStores, type NewClaim, namesOf, taken } from '../claim.ts'
import { aLabelForm } from '../hostname.ts'
import type { RoleRequest } from '../roles.ts'
import type { DomainRow, DomainSummary } from '../store.ts'

export interface ClaimRequest extends RoleRequest {
  readonly hostname: string
  readonly withWww?: boolean | undefined
}

/** The checks that adding needs: whether the holder of a name yields it, for an account that requests this. */
export interface HolderChecks {
  yieldingHolder(hostname: string, accountId: number): Promise<number | undefined | 'taken'>
}

export interface ClaimParts extends ClaimStores {
  /** Undefined while hosting is off. */
  readonly platform: Pick<Platform, 'platformDomain' | 'sitesDomain'> | undefined
  readonly checks: HolderChecks | undefined
}

/**
 * Checks whether a project may have a domain, and resolves to a function that adds it in a transaction. Throws
 * `invalid_body` for an invalid name, then what `find` throws for a project that does not exist, `conflict` while hosting is
 * off, what `assertClaim` throws, and `domain_taken`.
 */
export async function claimDomain(
  parts: ClaimParts,
  find: () => ProjectRow,
  request: ClaimRequest,
  context: AuditContext,
): Promise<() => DomainRow> {
  const { platform, checks } = parts
  const platformDomains = platform ? [platform.platformDomain, platform.sitesDomain] : []
  const claim = await newClaim(request, platformDomains)
  const project = find()
  if (!platform || !checks) throw hostingIsOff()
  assertClaim(parts, project, claim)
  const contested = namesOf(claim).map(({ hostname }) => hostname)
  const yielding = await Promise.all(
    contested.map(async (hostname) => {
      const holder = parts.domains.holderOf(hostname)
      if (!holder || holder.projectId === project.id) return undefined
      const found = await checks.yieldingHolder(hostname, project.accountId)
      if (found === 'taken') throw taken(parts, hostname, project.accountId)
      return found
    }),
  )
  const ids = new Set(yielding.filter((id) => id !== undefined))
  // The project may have been deleted while the holder of the name was checked.
  return () => addClaim(parts, find(), claim, ids, context)
}

async function newClaim(request: ClaimRequest, platformDomains: readonly string[]): Promise<NewClaim> {
  // Loaded here, because the Public Suffix List would double the time that every start takes.
  const { checkName, isFault } = await import('../../../dns/name.ts')
  const checked = (given: string): ClaimedName => {
    const name = checkName(given, platformDomains)
    if (isFault(name)) throw new AppError('invalid_body', `hostname: ${name.message} ${name.fix}`)
    return { hostname: name.hostname, registrableDomain: name.registrableDomain }
  }
  const name = checked(request.hostname)
  const sibling = request.withWww === true ? checked(siblingOf(name)) : undefined
  const { role, redirect } = request
  const target = redirect && { ...redirect, to: aLabelForm(redirect.to) ?? redirect.to }
  return { name, sibling, role, redirect: target }
}

/** `www.shop.example` for `shop.example`, and the other way round. */
function siblingOf({ hostname, registrableDomain }: ClaimedName): string {
  return hostname.startsWith('www.') && hostname !== registrableDomain
    ? hostname.slice('www.'.length)
    : `www.${hostname}`
}

/** The longest time for which a request waits for a check, in milliseconds; connections that are idle longer are closed. */
const requestWaitMs = 25_000

export interface VerifyParts {
  readonly domains: ClaimStores['domains']
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Undefined while hosting is off. */
  readonly checks: { check(id: number, accountId: number): Check } | undefined
  /** The certificate of a proven name is tried again; `findings` has the codes of those of the check. */
  readonly retryCertificate?: ((hostname: string, findings: readonly string[]) => unknown) | undefined
  /** The longest time to wait for the check, in milliseconds; by default that of a request. */
  readonly longestWaitMs?: number
}

/**
 * Checks a domain, for the API and the command, and resolves when the result is about to be stored, or after 25 seconds. A
 * transaction that is queued then follows the result; in it the returned function is to be called, which returns the
 * result, with the outcome `running` while there is none. A claim that is not proven is checked for another 48 hours. Throws
 * `conflict` while hosting is off, and `rate_limit_exceeded`.
 */
export async function verifyDomain(
  parts: VerifyParts,
  { accountId }: ProjectRow,
  { id, hostname }: DomainSummary,
): Promise<() => Settled | { readonly outcome: 'running'; readonly domain?: never }> {
  const { checks, clock, retryCertificate, longestWaitMs = requestWaitMs } = parts
  if (!checks) throw hostingIsOff()
  const check = checks.check(id, accountId)
  // It goes on if this request fails or has waited for too long.
  check.stored.catch(() => {})
  const timeout = Promise.withResolvers<'running'>()
  const cancel = clock.after(longestWaitMs, () => timeout.resolve('running'))
  const verdict = await Promise.race([check.settling, check.stored, timeout.promise]).finally(cancel)
  // The response shows that its certificate is tried again.
  if (verdict === 'proven' && (await check.stored) === 'proven') {
    retryCertificate?.(hostname, check.result()?.domain?.findings.map(({ code }) => code) ?? [])
  }
  return () => {
    const result = check.result()
    if (result) return result
    restartWaiting(parts, id)
    return { outcome: 'running' }
  }
}

/** Begins another 48 hours of checks of a claim that is not proven, and whose check has no result yet. */
function restartWaiting({ domains, clock }: Pick<VerifyParts, 'domains' | 'clock'>, id: number): void {
  const row = domains.findById(id)
  if (!row || row.holdsName) return
  const nowMs = clock.now()
  // The next check adds the time since the last one, which is not part of the new 48 hours.
  const waitedMs = -waitedAfter(0, row.checkedAt ?? row.createdAt, nowMs)
  domains.update(row, { waitedMs, nextCheckAt: row.nextCheckAt ?? nowMs })
}

/** The error of a service without hosting. */
export function hostingIsOff(): AppError {
  return new AppError('conflict', 'This service hosts no domains: its operator has to start it with --platform-domain.')
}
