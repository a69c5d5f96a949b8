/**
 * Decides where webhooks may go. Each attempt looks the addresses of its host name up once, checks them, and connects
 * to these addresses, even if the name leads elsewhere a moment later. Otherwise the owner of a webhook could send
 * requests into the private network of the service.
 */

import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { reservedUse } from '../../dns/wire/global-address.ts'
import { AppError } from '../../lib/error.ts'
import { contains, type Network, parseAddress } from '../../lib/network.ts'

/**
 * Why an attempt failed before there was a response. The message is for the owner of the webhook and for the operator.
 */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
}

/** Resolves to every address of a host name. Rejects if there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>

export interface ResolveSources {
  /** By default that of this machine. */
  readonly hostsFile?: string
  /** Name servers with their ports; by default those of this machine at the time of the look-up. */
  readonly servers?: readonly string[]
}

/**
 * Looks names up in the hosts file, then in the DNS. The look-up of the system would block one of the few threads of
 * the process until a name server responds. Flushes of the database need these threads, so two names without a response
 * would stop every change.
 */
export function createResolve({ hostsFile = '/etc/hosts', servers }: ResolveSources = {}): Resolve {
  return async (name) => {
    const bare = name.replace(/\.$/, '')
    const written = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), bare)
    if (written.length > 0) return written
    const resolver = new Resolver({ timeout: responseMs, tries: 2 })
    if (servers) resolver.setServers(servers)
    const answers = await Promise.allSettled([resolver.resolve4(bare), resolver.resolve6(bare)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}

/** How long the first try waits for a name server, in milliseconds. */
const responseMs = 2_000

/** The addresses that a hosts file has for a name in lower case. */
function addressesIn(hostsFile: string, name: string): string[] {
  return hostsFile.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return names.includes(name) ? [address] : []
  })
}

/** The most addresses of one host that are tried. */
const mostAddresses = 3

/** The URL as it is stored. Throws `invalid_body` for one that no webhook may have, whatever its name resolves to. */
export function storedUrl(given: string, networks: readonly Network[]): string {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AppError('invalid_body', 'url must be an address such as https://partner.example/hook.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError('invalid_body', 'url must have no user name or password: verify the signature instead.')
  }
  if (url.hash !== '') throw new AppError('invalid_body', 'url must have no fragment (#…): it is never sent.')
  if (url.protocol === 'http:' && networks.length === 0) {
    throw new AppError('invalid_body', 'url must begin with https://.')
  }
  const literal = literalOf(url)
  if (literal !== undefined) {
    const reason = refusal(url, literal, networks)
    if (reason !== undefined) throw new AppError('invalid_body', `url: ${reason}`)
  }
  return url.href
}

/**
 * The addresses to try, in their order. Throws a `DeliveryError` unless requests may be sent to every address of the
 * host.
 */
export async function addressesOf(
  url: URL,
  networks: readonly Network[],
  resolve: Resolve,
): Promise<readonly string[]> {
  const literal = literalOf(url)
  const found = literal === undefined ? await resolved(url.hostname, resolve) : [literal]
  for (const address of found) {
    const reason = refusal(url, address, networks)
    if (reason !== undefined) throw new DeliveryError(reason)
  }
  const isV6 = (address: string) => Number(address.includes(':'))
  return [...new Set(found)].sort((a, b) => isV6(a) - isV6(b)).slice(0, mostAddresses)
}

/**
 * The address in a URL that has one instead of a name. `URL` has normalised every notation of an IPv4 address.
 */
function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return parseAddress(bare) === undefined ? undefined : bare
}

async function resolved(name: string, resolve: Resolve): Promise<readonly string[]> {
  // The reader needs no distinction between the faults of a look-up.
  const found = await resolve(name).catch(() => [])
  if (found.length > 0) return found
  throw new DeliveryError(`The name ${name} has no address.`)
}

/** Why no request may be sent to an address; undefined if one may. */
function refusal({ protocol, hostname }: URL, address: string, networks: readonly Network[]): string | undefined {
  const parsed = parseAddress(address)
  if (parsed !== undefined && networks.some((network) => contains(network, parsed))) return undefined
  const use = reservedUse(address)
  const subject = hostname.replace(/^\[(.*)\]$/, '$1') === address ? address : `${hostname} leads to ${address}, which`
  if (use !== undefined) {
    return `${subject} is not on the public internet (${use}). The operator can permit it with --webhook-network.`
  }
  return protocol === 'http:' ? `${subject} is on the public internet: only https:// is allowed there.` : undefined
}
