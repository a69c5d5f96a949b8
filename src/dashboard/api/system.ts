/** The settings of the service. */

import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './client.ts'

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => bodyOf(api.GET('/system', { signal })),
  meta: { topics: ['backups', 'deploys'] },
})

/**
 * The address for programs, without `/v1`: the one of the service, `address`; the one of this page, `origin`, if the former is
 * unknown or leads to the service only from its own machine.
 */
export function programAddress(address: string | null | undefined, origin: string): string {
  return address == null || isLoopback(new URL(address).hostname) ? origin : address
}

const isLoopback = (hostname: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
