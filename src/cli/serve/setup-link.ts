/** The set-up link of the dashboard, which a start without an owner makes, and the lines that print it. */

import { hostname, networkInterfaces } from 'node:os'
import { createSetupToken, setupUrl } from '../../access/owner/set-up.ts'
import type { OwnerStore } from '../../access/owner/store.ts'
import type { ServeConfig } from '../../config/config.ts'
import { StorageUnavailable } from '../../database/faults/fault.ts'
import type { Writer } from '../../database/writer.ts'
import { reservedUse } from '../../dns/wire/global-address.ts'
import type { Clock } from '../../lib/clock.ts'
import { isInContainer } from '../../lib/container.ts'
import type { Log } from '../../lib/log.ts'
import { shellWord } from '../../lib/shell-words.ts'
import type { Listener } from '../../server/listener.ts'

/**
 * The address of the dashboard, without a final slash: that of the API if one is configured, else one at which the
 * listener is reachable without HTTPS.
 */
export function dashboardUrlOf(config: ServeConfig, { url, port }: Pick<Listener, 'url' | 'port'>): string {
  const baseUrl = config.environment === 'production' ? config.baseUrl : config.stagingBaseUrl
  if (baseUrl !== undefined) return `${new URL(baseUrl).origin}/dashboard`
  const isWildcard = config.host === '0.0.0.0' || config.host === '::'
  // Others do not reach a container at its own addresses: its ports are usually published on the machine.
  const address = isWildcard && !isInContainer() ? privateAddress() : undefined
  return `${address === undefined ? url : `http://${address}:${port}`}/dashboard`
}

/** An IPv4 address of this machine in a private network. */
function privateAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ address, family, internal }) => family === 'IPv4' && !internal && reservedUse(address) === 'private')
    ?.address
}

/**
 * Keeps the address of the dashboard for commands, and returns the token of a new set-up link if there is no owner. A
 * store that can't be written is served all the same, without a link.
 */
export async function offerSetup(
  app: { owner: OwnerStore; writer: Writer; clock: Pick<Clock, 'now'>; log: Log },
  dashboardUrl: string,
): Promise<string | undefined> {
  const { owner, writer, clock, log } = app
  const needsOwner = owner.find() === undefined
  const isKnown = owner.installation().dashboardUrl === dashboardUrl
  if (!needsOwner && isKnown) return undefined
  try {
    return await writer.write(() => {
      if (!isKnown) owner.updateInstallation({ dashboardUrl })
      return needsOwner ? createSetupToken(app, clock.now()) : undefined
    })
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    const lacking = needsOwner ? 'there is no set-up link for the dashboard' : "commands don't know the new address"
    log.warn(`the address of the dashboard could not be stored: ${lacking}`, { error })
    return undefined
  }
}

/** The addresses of one set-up link, for people at this machine and elsewhere. */
export interface SetupWays {
  readonly setupUrl: string
  /** The same at the listener, while the address over HTTPS may have neither DNS records nor a certificate yet. */
  readonly localSetupUrl: string | null
  /** The command that leads from another computer to an address that only this machine reaches, and the link there. */
  readonly tunnel: { readonly command: string; readonly setupUrl: string } | null
}

/** `listenerUrl` is the address of the listener, if it is known. */
export function setupWays(dashboardUrl: string, token: string, listenerUrl?: string): SetupWays {
  const isSecure = dashboardUrl.startsWith('https:')
  const localUrl = isSecure && listenerUrl !== undefined ? `${listenerUrl}/dashboard` : dashboardUrl
  return {
    setupUrl: setupUrl(dashboardUrl, token),
    localSetupUrl: localUrl === dashboardUrl ? null : setupUrl(localUrl, token),
    tunnel: tunnelTo(localUrl, token),
  }
}

/** The lines that print a set-up link. */
export function setupLines({ setupUrl: link, localSetupUrl, tunnel }: SetupWays): string[] {
  return [
    'Set up the dashboard with this link. It works once, within 30 minutes:',
    '',
    `  ${link}`,
    '',
    ...(localSetupUrl === null ? [] : ['While that address does not work yet:', '', `  ${localSetupUrl}`, '']),
    ...(tunnel === null
      ? []
      : ['From another computer, first run this there and leave it running:', '', `  ${tunnel.command}`, '']),
    ...(tunnel === null || [link, localSetupUrl].includes(tunnel.setupUrl)
      ? []
      : ['Then open there:', '', `  ${tunnel.setupUrl}`, '']),
  ]
}

/** Null for an address that others reach. There, ports below 1024 may need a privilege. */
function tunnelTo(dashboardUrl: string, token: string): SetupWays['tunnel'] {
  const { hostname: host, port: named } = new URL(dashboardUrl)
  if (!['localhost', '127.0.0.1', '[::1]'].includes(host)) return null
  const target = host === 'localhost' ? '127.0.0.1' : host
  // A URL does not name port 80.
  const port = Number(named || 80)
  const farPort = port < 1024 ? 8000 + port : port
  return {
    command: `ssh -L ${shellWord(`${farPort}:${target}:${port}`)} USER@${isInContainer() ? 'SERVER' : hostname()}`,
    setupUrl: setupUrl(`http://${host}:${farPort}/dashboard`, token),
  }
}
