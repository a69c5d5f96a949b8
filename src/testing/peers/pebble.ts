/**
 * Pebble, the certificate authority with which Let's Encrypt tests clients (package `pebble`). It rejects 5 % of the
 * nonces. https://github.com/letsencrypt/pebble
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createIssuer } from '../../hosting/certificates/testing/issuer.ts'
import { findPeer, freePort, peerDirectory, startPeer } from './peer.ts'

const pebble = findPeer('pebble')
const challengeServer = findPeer('pebble-challtestsrv')
export const hasPebble = pebble !== undefined && challengeServer !== undefined

export interface PebbleOptions {
  /** The port at which it fetches http-01 challenges. */
  readonly httpPort: number
  /** The resolver that it uses, as `address:port`; without it every name has the address 127.0.0.1. */
  readonly dnsServer?: string
  /** Accounts then need one of these keys, by their ids (base64url). */
  readonly eabKeys?: Readonly<Record<string, string>>
  /** Domains for which it issues no certificate. */
  readonly blocked?: readonly string[]
}

const address = '127.0.0.1'

export async function startPebble({ httpPort, dnsServer, eabKeys, blocked = [] }: PebbleOptions) {
  const directory = peerDirectory('pebble')
  const issuer = await createIssuer('Pebble listener')
  const { cert, key } = await issuer.server(['localhost', address])
  const file = (name: string, text: string) => {
    const path = join(directory.path, name)
    writeFileSync(path, text)
    return path
  }
  const [port, managementPort] = [await freePort(address), await freePort(address)]
  const config = {
    pebble: {
      listenAddress: `${address}:${port}`,
      managementListenAddress: `${address}:${managementPort}`,
      certificate: file('cert.pem', cert),
      privateKey: file('key.pem', key),
      httpPort,
      tlsPort: 1,
      ocspResponderURL: '',
      externalAccountBindingRequired: eabKeys !== undefined,
      externalAccountMACKeys: eabKeys ?? {},
      domainBlocklist: blocked,
    },
  }
  const names = dnsServer === undefined ? await startNames() : undefined
  const get = (port: number, path: string) =>
    fetch(`https://${address}:${port}${path}`, { tls: { ca: issuer.root }, keepalive: false })
  const server = await startPeer({
    command: [
      pebble ?? '',
      '-config',
      file('config.json', JSON.stringify(config)),
      '-dnsserver',
      dnsServer ?? names?.address ?? '',
    ],
    env: { PEBBLE_VA_NOSLEEP: '1' },
    isReady: async () => (await get(port, '/dir')).ok && (await get(managementPort, '/roots/0')).ok,
  })
  return {
    directoryUrl: `https://${address}:${port}/dir`,
    /** The root that Pebble's own listener needs, for `NODE_EXTRA_CA_CERTS`. */
    caFile: file('root.pem', issuer.root),
    /** The root of the certificates that it issues, in PEM; new at each start. */
    root: async (): Promise<string> => (await get(managementPort, '/roots/0')).text(),
    output: server.output,
    async stop(): Promise<void> {
      await server.stop()
      await names?.stop()
      directory.remove()
    },
  }
}

/** A DNS server that gives every name the address 127.0.0.1. */
async function startNames() {
  const port = await freePort(address)
  const { Resolver } = await import('node:dns/promises')
  const resolver = new Resolver()
  resolver.setServers([`${address}:${port}`])
  const flags = {
    dns01: `${address}:${port}`,
    defaultIPv4: address,
    defaultIPv6: '',
    http01: '',
    https01: '',
    tlsalpn01: '',
  }
  const server = await startPeer({
    command: [
      challengeServer ?? '',
      ...Object.entries(flags).flatMap(([name, value]) => [`-${name}`, value]),
      '-management',
      `${address}:${await freePort(address)}`,
    ],
    isReady: async () => (await resolver.resolve4('ready.example')).length > 0,
  })
  return { address: `${address}:${port}`, stop: server.stop }
}
