/**
 * The roles of a project's domains: one primary, and all others redirect to it. So there are neither loops nor chains.
 */

import { AppError } from '../../lib/error.ts'

export const roles = ['primary', 'redirect'] as const
export type Role = (typeof roles)[number]

export const redirectStatuses = [301, 302, 307, 308] as const
export type RedirectStatus = (typeof redirectStatuses)[number]
export const defaultRedirectStatus: RedirectStatus = 301

/** The most domains of one project. */
export const maximumDomains = 50

/** The members of a request that concern the role. */
export interface RoleRequest {
  readonly role?: Role | undefined
  readonly redirect?: { readonly to: string; readonly status?: RedirectStatus | undefined } | null | undefined
}

/** A domain of the project. */
export interface Member {
  readonly hostname: string
  readonly isPrimary: boolean
}

/** Throws `invalid_body` for members that contradict each other. */
export function assertRoleRequest({ role, redirect }: RoleRequest): void {
  if (role === 'primary' && redirect) {
    throw new AppError('invalid_body', 'redirect must be left out or null if role is primary.')
  }
}

/**
 * Throws `conflict` unless `hostname` may redirect to `target` in a project with these domains, of which `hostname` is
 * one or will be one.
 */
export function assertTarget(hostname: string, target: string, members: readonly Member[]): void {
  if (target === hostname) throw new AppError('conflict', `redirect.to must not be ${hostname} itself.`)
  const domain = members.find((member) => member.hostname === target)
  if (!domain) throw new AppError('conflict', `redirect.to must be a domain of this project: add ${target} first.`)
  if (domain.isPrimary) return
  throw new AppError(
    'conflict',
    `redirect.to must be the primary domain: ${target} redirects itself, and a chain of redirects is not possible.`,
  )
}

/** Throws `conflict` if a project that has `count` domains cannot have `more`. */
export function assertRoom(count: number, more: number): void {
  if (count + more <= maximumDomains) return
  throw new AppError(
    'conflict',
    `This project has ${count} domains, and ${maximumDomains} is the most: remove one first.`,
  )
}

/**
 * The domain that becomes the primary when the present one goes: the oldest active one, else the oldest verified, else
 * the oldest.
 */
export function successorOf<T extends { readonly id: number; readonly isActive: boolean; readonly holdsName: boolean }>(
  remaining: readonly T[],
): T | undefined {
  const oldest = remaining.toSorted((a, b) => a.id - b.id)
  return oldest.find(({ isActive }) => isActive) ?? oldest.find(({ holdsName }) => holdsName) ?? oldest[0]
}
