/** What a key may do: the scopes, and which of them include others. */

export const scopes = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'orders:manage',
  'projects:read',
  'projects:write',
  'webhooks:read',
  'webhooks:write',
  'metrics:read',
  'admin',
] as const
export type Scope = (typeof scopes)[number]

const grantedByName: readonly Scope[] = ['orders:manage', 'webhooks:read', 'webhooks:write', 'metrics:read', 'admin']

/** The scopes of a new key by default. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => !grantedByName.includes(scope))

/** Whether the granted scopes include `scope`; `admin` includes all. */
export function allows(granted: ReadonlySet<Scope>, scope: Scope): boolean {
  return granted.has(scope) || granted.has('admin')
}

/** The scopes of a stored list, without names that this version does not know. */
export function parseScopes(stored: string): Set<Scope> {
  return new Set(scopes.filter((scope) => stored.split(' ').includes(scope)))
}
