/** IP addresses and blocks of them. */

import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Network = readonly [Address, number]

/** Parses an address; undefined if `text` is none. IPv4 needs four decimal parts; IPv4-mapped addresses become IPv4. */
export function parseAddress(text: string): Address | undefined {
  const isValid = ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text)
  return isValid ? ipaddr.process(text) : undefined
}

const bracketed = /^\[([0-9a-f:.%]+)\](?::\d{1,5})?$/i
const withPort = /^([\d.]+):\d{1,5}$/

/**
 * An element of `X-Forwarded-For`, with or without a port: `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`,
 * `[2001:db8::1]`, `[2001:db8::1]:443`. Undefined if it is none of these.
 */
export function parseForwardedAddress(element: string): Address | undefined {
  const inBrackets = bracketed.exec(element)?.[1]
  if (inBrackets !== undefined) return ipaddr.IPv6.isValid(inBrackets) ? parseAddress(inBrackets) : undefined
  return parseAddress(withPort.exec(element)?.[1] ?? element)
}

/** A CIDR block, or undefined if `text` is none. A bare address is a block of one. */
export function parseNetwork(text: string): Network | undefined {
  const address = parseAddress(text.split('/', 1)[0] ?? '')
  if (address && ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (text.includes('/')) return undefined
  return address && [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** The addresses at which only programs of this machine reach it. */
export const loopback: readonly Network[] = [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')]

export function contains([network, bits]: Network, address: Address): boolean {
  if (network instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(network, bits)
  return address instanceof ipaddr.IPv6 && address.match(network, bits)
}

/** The block of addresses that one customer usually has, as text: an IPv4 address, or the /64 of an IPv6 address. */
export function customerNetwork(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${address.toByteArray().slice(0, 8).join('.')}/64`
}

/** Whether only programs of this machine reach a host, which may be an IPv6 address in brackets. */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || parseAddress(hostname.replaceAll(/[[\]]/g, ''))?.range() === 'loopback'
}

/** A host name, as a URL has it, at which a client on this machine reaches a listener on `hostname`. */
export function reachable(hostname: string): string {
  if (hostname === '0.0.0.0' || hostname === '::') return 'localhost'
  return hostname.includes(':') ? `[${hostname}]` : hostname
}
