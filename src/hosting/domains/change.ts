/** Finding, changing and removing a domain. Changes are to be called in a transaction. */

import type { AuditContext } from '../../access/audit/store.ts'
import { AppError } from '../../lib/error.ts'
import type { ProjectRow } from '../projects/store.ts'
import { type ClaimStores, makePrimary } from './claim.ts'
import { aLabelForm } from './hostname.ts'
import { assertRoleRequest, assertTarget, type RoleRequest, successorOf } from './roles.ts'
import type { DomainRow, DomainStore, DomainSummary } from './store.ts'

type Stores = Pick<ClaimStores, 'domains' | 'domainHistory' | 'audit'>

export interface DomainChange extends RoleRequest {
  readonly hsts?: boolean | undefined
}

/** Throws `not_found` for a hostname that the project does not have. */
export function getDomain(domains: DomainStore, projectId: number, hostname: string): DomainRow {
  const row = domains.find(projectId, hostname)
  if (!row) throw new AppError('not_found', `Project ${projectId} has no domain ${hostname}.`)
  return row
}

/**
 * The change that a request makes. Throws `invalid_body` for a primary domain that would redirect, unless the redirect
 * is the one that the domain has: a record can be sent back as it was read, with another role.
 */
export function changeOf(domains: DomainStore, row: DomainRow, { role, redirect, hsts }: DomainChange): DomainChange {
  if (!redirect) return { role, redirect, hsts }
  const { status } = redirect
  const to = aLabelForm(redirect.to) ?? redirect.to
  const isSame = to === domains.primaryOf(row.projectId) && status === row.redirectStatus
  const change = { role, redirect: role === 'primary' && isSame ? undefined : { to, status }, hsts }
  assertRoleRequest(change)
  return change
}

/**
 * Changes role, redirect and HSTS. Throws `conflict` for the primary that would become a redirect, for a redirect to
 * anything but the primary, and for another domain that would not redirect.
 */
export function changeDomain(
  { domains, domainHistory, audit }: Stores,
  { id: projectId, accountId }: ProjectRow,
  row: DomainRow,
  { role, redirect, hsts = row.hsts }: DomainChange,
  context: AuditContext,
): DomainRow {
  const { hostname } = row
  const becomesPrimary = role === 'primary' && !row.isPrimary
  if (row.isPrimary && (role === 'redirect' || redirect)) {
    throw new AppError('conflict', `${hostname} is the primary domain: make another domain the primary first.`)
  }
  if (redirect === null && !row.isPrimary && !becomesPrimary) {
    const message = `redirect can't be null: ${hostname} is not the primary domain, and all others redirect to it. With role primary it does not redirect.`
    throw new AppError('conflict', message)
  }
  if (redirect) assertTarget(hostname, redirect.to, domains.ofProject(projectId))
  const redirectStatus = redirect?.status ?? row.redirectStatus
  if (!becomesPrimary && hsts === row.hsts && redirectStatus === row.redirectStatus) return row
  const changed = domains.update(row, { hsts, redirectStatus })
  if (becomesPrimary) makePrimary(domains, projectId, hostname)
  const details = { projectId, hostname, role: becomesPrimary ? 'primary' : (role ?? null), redirectStatus, hsts }
  audit.add(context, { action: 'domain.changed', accountId, details })
  const message = becomesPrimary ? `${hostname} is the main address now.` : `The settings of ${hostname} were changed.`
  domainHistory.add({ projectId, hostname, at: context.nowMs, type: 'changed', message })
  return { ...changed, isPrimary: row.isPrimary || becomesPrimary }
}

/** Removes a domain. The oldest active domain takes the place of a primary, and the others redirect to it. */
export function removeDomain(
  { domains, domainHistory, audit }: Stores,
  { id: projectId, accountId }: ProjectRow,
  { id, hostname, isPrimary }: DomainRow,
  isActive: (row: DomainSummary) => boolean,
  context: AuditContext,
): void {
  const at = context.nowMs
  // Its event shows the domain as it is before the removal.
  domainHistory.add({ projectId, hostname, at, type: 'removed', message: `${hostname} was removed.` })
  domains.remove(id)
  audit.add(context, { action: 'domain.removed', accountId, details: { projectId, hostname } })
  if (!isPrimary) return
  const rest = domains.ofProject(projectId).map((row) => ({ ...row, isActive: isActive(row) }))
  const successor = successorOf(rest)
  if (!successor) return
  makePrimary(domains, projectId, successor.hostname)
  const message = `${successor.hostname} is the main address now, because ${hostname} was removed.`
  domainHistory.add({ projectId, hostname: successor.hostname, at, type: 'changed', message })
}
