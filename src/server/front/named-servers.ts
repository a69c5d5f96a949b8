/**
 * The inner HTTPS servers: one for each name and certificate, started by the first connection. So a name's connections
 * serve that name alone (RFC 9110 section 7.4), a changed certificate concerns only the new connections of its name, and
 * thousands of names cost nothing until they are used.
 */

import { misdirectedPage } from '../../sites/pages.ts'
import type { HandlerParts, Site } from '../handle.ts'
import type { Target } from './connection.ts'
import { type Certificate, createInnerServer, type InnerServer } from './inner.ts'

export interface NamedServersOptions extends HandlerParts {
  /** The certificate of a name, always the same object until it changes; undefined for names that are not served. */
  readonly certificateOf: (name: string) => Certificate | undefined
  /** The site of a name; undefined for names that are not served. Called for every request. */
  readonly siteOf: (name: string) => Site | undefined
  /** Whether the server of a name must know the addresses of its clients. */
  readonly needsAddresses: (name: string) => boolean
  /** A path for a new unix socket; undefined if there can be none. */
  readonly nextSocketPath: () => string | undefined
}

export interface NamedServers {
  /** The number of running servers, for metrics and tests. */
  readonly size: number
  /** For one connection to `name`; undefined if no certificate or no site has this name. */
  target(name: string): Target | undefined
  /** To be called when sites or certificates have changed: ends the connections of names that are not served any more. */
  update(): void
  stop(): Promise<void>
}

/** The number of servers beyond which those without connections are ended. */
const keptServers = 256

const misdirected: Site = () => misdirectedPage()

interface Named {
  readonly certificate: Certificate
  readonly server: InnerServer
}

export function createNamedServers(options: NamedServersOptions): NamedServers {
  const { certificateOf, siteOf, needsAddresses, nextSocketPath, log, clock, observe } = options
  /** The least recently used first. */
  const current = new Map<string, Named>()
  /** Servers with an older certificate that still have connections. */
  const retired = new Map<InnerServer, string>()
  const unusable = new WeakSet<Certificate>()

  function start(name: string, certificate: Certificate): Named | undefined {
    if (unusable.has(certificate)) return undefined
    try {
      const server = createInnerServer({
        log,
        clock,
        observe,
        certificate,
        socketPath: needsAddresses(name) ? undefined : nextSocketPath(),
        siteOf: (host) => (host === name ? siteOf(name) : undefined) ?? misdirected,
      })
      return { certificate, server }
    } catch (error) {
      unusable.add(certificate)
      log.error('a certificate can not be used: its name is served with the one before, or not at all', { name, error })
      return undefined
    }
  }

  function retire(name: string, { server }: Named): void {
    server.retire()
    if (server.connections > 0) retired.set(server, name)
    for (const one of retired.keys()) if (one.connections === 0) retired.delete(one)
  }

  function find(name: string): Named | undefined {
    const known = current.get(name)
    if (siteOf(name) === undefined) return undefined
    const certificate = certificateOf(name)
    if (certificate === undefined) return undefined
    const isCurrent = known !== undefined && (known.certificate === certificate || unusable.has(certificate))
    const named = isCurrent ? known : (start(name, certificate) ?? known)
    if (named === undefined) return undefined
    current.delete(name)
    current.set(name, named)
    if (known !== undefined && known !== named) retire(name, known)
    if (known === undefined && current.size > keptServers) endUnused()
    return named
  }

  function endUnused(): void {
    for (const [name, named] of current) {
      if (current.size <= keptServers) return
      if (named.server.connections > 0) continue
      current.delete(name)
      named.server.end()
    }
  }

  return {
    get size() {
      return current.size + retired.size
    },
    target: (name) => find(name)?.server.target(),
    update() {
      for (const [name, named] of current) {
        if (siteOf(name) === undefined) {
          current.delete(name)
          named.server.end()
        } else if (certificateOf(name) === undefined) {
          current.delete(name)
          retire(name, named)
        }
      }
      for (const [server, name] of retired) {
        if (siteOf(name) !== undefined) continue
        retired.delete(server)
        server.end()
      }
    },
    async stop() {
      const servers = [...[...current.values()].map(({ server }) => server), ...retired.keys()]
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}
