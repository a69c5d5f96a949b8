/**
 * Adding a domain to a project: a claim on the hostname, and on its `www` if that is wanted. If another project holds a
 * name, its records are checked before the transaction.
 */

import type { AccountStore } from '../../access/accounts/store.ts'
import type { AuditContext, AuditStore } from '../../access/audit/store.ts'
import { AppError } from '../../lib/error.ts'
import type { ProjectRow, ProjectStore } from '../projects/store.ts'
import type { Platform } from './checks/platform.ts'
import type { DomainHistory } from './history.ts'
import { aLabelForm } from './hostname.ts'
import { assertRoom, assertTarget, defaultRedirectStatus, type Member, type RoleRequest } from './roles.ts'
import type { DomainRow, DomainStore } from './store.ts'

export interface ClaimStores {
  readonly domains: DomainStore
  readonly projects: Pick<ProjectStore, 'find' | 'hasWebshop'>
  readonly domainHistory: DomainHistory
  readonly accounts: Pick<AccountStore, 'find'>
  readonly audit: Pick<AuditStore, 'add'>
}

/** How long the response waits for the public addresses, in milliseconds. */
const longestLookUpMs = 3_000

export interface ClaimRequest extends RoleRequest {
  readonly hostname: string
  readonly withWww?: boolean | undefined
}

/** A hostname that was checked, and the registered domain above it. */
interface ClaimedName {
  readonly hostname: string
  readonly registrableDomain: string
}

interface NewClaim extends RoleRequest {
  readonly name: ClaimedName
  /** The name with or without `www.`, which is added in the same transaction. */
  readonly sibling: ClaimedName | undefined
}

/**
 * Checks whether a project may have a domain, and resolves to a function that adds it in a transaction. Throws
 * `invalid_body` for an invalid name, then what `find` throws for a project that does not exist, `conflict` while
 * hosting is off, what `assertClaim` throws, and `domain_taken`.
 */
export async function claimDomain(
  parts: ClaimStores & {
    /** Undefined while hosting is off. */
    readonly platform: Pick<Platform, 'platformDomain' | 'sitesDomain' | 'learnAddresses'> | undefined
    readonly checks:
      | {
          /** Checks whether the holder of a name yields it, for an account that requests this. */
          yieldingHolder(hostname: string, accountId: number): Promise<number | undefined | 'taken'>
        }
      | undefined
  },
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
      const holderId = await checks.yieldingHolder(hostname, project.accountId)
      if (holderId === 'taken') throw taken(parts, hostname, project.accountId)
      return holderId
    }),
  )
  // The records of an apex have them.
  await platform.learnAddresses(AbortSignal.timeout(longestLookUpMs))
  const ids = new Set(yielding.filter((id) => id !== undefined))
  // The project may have been deleted while the holder of the name was checked.
  return () => addClaim(parts, find(), claim, ids, context)
}

async function newClaim(request: ClaimRequest, platformDomains: readonly string[]): Promise<NewClaim> {
  // Loaded here, because the Public Suffix List would double the time that every start takes.
  const { checkName, isFault } = await import('../../dns/name.ts')
  const checked = (typed: string): ClaimedName => {
    const name = checkName(typed, platformDomains)
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

/**
 * Throws the reason for which a project cannot have these domains, whoever holds the names: `plan_required`,
 * `no_successful_deploy`, or `conflict`.
 */
function assertClaim(stores: ClaimStores, project: ProjectRow, claim: NewClaim): void {
  const { id, accountId, liveDeployId } = project
  const plan = stores.accounts.find(accountId)?.plan
  if (plan === 'free') {
    throw new AppError('plan_required', `Custom domains need the plan pro or above; account ${accountId} is on free.`)
  }
  if (liveDeployId === null && !stores.projects.hasWebshop(project)) {
    throw new AppError('no_successful_deploy', 'This project has no successful deploy: deploy it, then add the domain.')
  }
  const members = stores.domains.ofProject(id)
  const names = namesOf(claim)
  const known = members.find(({ hostname }) => hostname === claim.name.hostname)
  if (known) throw new AppError('conflict', `This project already has the domain ${known.hostname}.`)
  assertRoom(
    members.length,
    names.filter(({ hostname }) => members.every((member) => member.hostname !== hostname)).length,
  )
  if (claim.redirect) {
    const sibling = claim.sibling ? [{ hostname: claim.sibling.hostname, isPrimary: true }] : []
    assertTarget(claim.name.hostname, claim.redirect.to, [...members, ...sibling])
  } else if (claim.role === 'redirect' && members.length === 0 && !claim.sibling) {
    throw new AppError('conflict', 'The first domain of a project is its primary domain and cannot redirect.')
  }
}

/** The hostnames that a claim adds. */
function namesOf({ name, sibling }: NewClaim): readonly ClaimedName[] {
  return sibling ? [name, sibling] : [name]
}

/**
 * Adds the claim; to be called in a transaction. `yielding` has the ids of holders of the names whose checks have just
 * failed. Throws what `assertClaim` throws, and `domain_taken` for a name with any other holder.
 */
function addClaim(
  stores: ClaimStores,
  project: ProjectRow,
  claim: NewClaim,
  yielding: ReadonlySet<number>,
  context: AuditContext,
): DomainRow {
  assertClaim(stores, project, claim)
  const { domains } = stores
  for (const { hostname } of namesOf(claim)) {
    const holder = domains.holderOf(hostname)
    if (holder && holder.projectId !== project.id && !yielding.has(holder.id))
      throw taken(stores, hostname, project.accountId)
  }
  domains.ensureToken(project.accountId, `petstore-${randomHex(16)}`)
  const primary = nextPrimary(claim, domains.ofProject(project.id))
  const isMain = primary === claim.name.hostname
  const main = add(stores, project, claim.name, { isPrimary: isMain, status: claim.redirect?.status }, context)
  const { sibling } = claim
  if (sibling && !domains.find(project.id, sibling.hostname)) {
    add(stores, project, sibling, { isPrimary: primary === sibling.hostname, status: claim.redirect?.status }, context)
  }
  if (primary !== undefined) makePrimary(domains, project.id, primary)
  return main
}

/** The hostname that becomes the primary; undefined if the present primary stays. */
function nextPrimary({ name, sibling, role, redirect }: NewClaim, members: readonly Member[]): string | undefined {
  if (role === 'primary') return name.hostname
  if (role === undefined && !redirect) return members.length === 0 ? name.hostname : undefined
  return members.length === 0 || redirect?.to === sibling?.hostname ? sibling?.hostname : undefined
}

/** Makes a domain the only primary of its project; the others then redirect to it. */
export function makePrimary(domains: DomainStore, projectId: number, hostname: string): void {
  for (const row of domains.ofProject(projectId)) {
    const isPrimary = row.hostname === hostname
    if (row.isPrimary !== isPrimary) domains.update(row, { isPrimary })
  }
}

interface NewRole {
  readonly isPrimary: boolean
  readonly status: number | undefined
}

function add(
  { domains, domainHistory, audit }: ClaimStores,
  { id: projectId, accountId }: ProjectRow,
  { hostname, registrableDomain }: ClaimedName,
  { isPrimary, status = defaultRedirectStatus }: NewRole,
  context: AuditContext,
): DomainRow {
  const { nowMs } = context
  const row = domains.add({
    projectId,
    hostname,
    isPrimary,
    redirectStatus: status,
    hsts: false,
    holdsName: false,
    dnsStatus: 'pending',
    failure: null,
    checkedAt: null,
    nextCheckAt: nowMs + firstCheckMs,
    waitedMs: 0,
    verifiedAt: null,
    driftedAt: null,
    isDegraded: false,
    zone: registrableDomain,
    findings: [],
    createdAt: nowMs,
  })
  domainHistory.add({ projectId, hostname, at: nowMs, type: 'added', message: `${hostname} was added.` })
  audit.add(context, { action: 'domain.added', accountId, details: { projectId, hostname } })
  return row
}

/** Time to create the records: a resolver remembers for minutes that a name did not exist. */
const firstCheckMs = 60_000

/** The error for a name of another project. It says which one to the account of that project alone. */
export function taken(
  { domains, projects }: Pick<ClaimStores, 'domains' | 'projects'>,
  hostname: string,
  accountId: number,
): AppError {
  const holder = domains.holderOf(hostname)
  const project = holder && projects.find(holder.projectId)
  if (project?.accountId === accountId) {
    return new AppError(
      'domain_taken',
      `The project “${project.name}” of this account uses ${hostname}. Remove it there first.`,
    )
  }
  return new AppError(
    'domain_taken',
    `${hostname} is used by another project, and its records lead there or could not be checked. Remove it there, or change its records first.`,
  )
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')
}

/** The error of a service without hosting. */
export function hostingIsOff(): AppError {
  return new AppError(
    'conflict',
    'This service hosts no domains: its operator has to start it with --platform-domain and a name that is not below .localhost.',
  )
}
