/** Limits the open connections of each client network and of all clients together. */

import { contains, customerNetwork, type Network, parseAddress } from '../../lib/network.ts'

export interface ConnectionLimitOptions {
  /** Connections of all clients together. */
  readonly total: number
  /** Connections of one IPv4 address or IPv6 /64. Browsers open six to a host. */
  readonly perNetwork: number
  /** Networks whose addresses have no limit: proxies have the connections of many clients. */
  readonly exempt: readonly Network[]
}

export interface ConnectionLimits {
  /** The number of open connections. */
  readonly open: number
  readonly isFull: boolean
  /**
   * Counts a connection of `address`. Returns the function to call once when it ends; undefined if its network has
   * reached its limit.
   */
  admit(address: string): (() => void) | undefined
}

export function createConnectionLimits({ total, perNetwork, exempt }: ConnectionLimitOptions): ConnectionLimits {
  const counts = new Map<string, number>()
  let open = 0

  return {
    get open() {
      return open
    },
    get isFull() {
      return open >= total
    },
    admit(address) {
      const parsed = parseAddress(address)
      const isExempt = parsed !== undefined && exempt.some((network) => contains(network, parsed))
      const network = parsed === undefined ? 'unknown' : customerNetwork(parsed)
      const count = counts.get(network) ?? 0
      if (!isExempt && count >= perNetwork) return undefined
      counts.set(network, count + 1)
      open++
      return () => {
        open--
        const left = (counts.get(network) ?? 1) - 1
        if (left === 0) counts.delete(network)
        else counts.set(network, left)
      }
    },
  }
}
