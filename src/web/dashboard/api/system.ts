/** The settings of the service. */

import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './client.ts'

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => bodyOf(api.GET('/system', { signal })),
  meta: { topics: ['backups', 'deploys', 'certificates', 'owner'] },
})

/**
 * The address for programs, without `/v1`: the one of the service, `address`; the one of this page, `origin`, if the former is
 * unknown or leads to the service only from its own machine.
 */
export function programAddress(address: string | null | undefined, origin: string): string {
  return address == null || isOnlyHere(address) ? origin : address
}

/** Whether an address leads to the service only from its own machine. */
export function isOnlyHere(address: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(address).hostname)
}

/** What to do about such an address. */
export const onlyHereHint =
  'Only programs on the same computer as the store can use this address. For programs elsewhere, ask the person who set up that computer for an address that they can reach.'
