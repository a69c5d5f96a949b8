/** Public listeners on loopback for tests: the sites and certificates of a few names, and clients for them. */

import { join } from 'node:path'
import { connect } from 'node:tls'
import { contextOf } from '../../api/context.ts'
import type { Certificate, Hosts, Site } from '../../api/host.ts'
import { createIssuer } from '../../hosting/certificates/testing/issuer.ts'
import { createTestHosts } from '../../hosting/testing/hosts.ts'
import { createManualClock } from '../../lib/clock.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { getRequest, parseResponse, sendHttps } from '../../testing/https-client.ts'
import { testLog } from '../../testing/site-listener.ts'
import { type PublicListeners, type PublicListenersOptions, startPublicListeners } from '../public-listeners.ts'

export const issuer = await createIssuer()
/** The certificates of the names that have one at first. */
export const original = {
  ada: await issuer.server(['ada.example']),
  api: await issuer.server(['api.stores.example']),
}

export interface StartOptions extends Partial<PublicListenersOptions> {
  /** Replaces what hosts get in the clear. */
  readonly respondInClear?: Hosts['respondInClear']
}

/**
 * `ada.example` and `ben.example` respond with their names, and `api.stores.example` with the address of the client;
 * `ben.example` has no certificate. In the clear every host responds. Tests change `sites` and `certificates`.
 */
export function createListenerWorld() {
  const folder = emptyFolder()
  const clock = createManualClock(0)
  const logged: string[] = []
  const started: PublicListeners[] = []
  const certificates = new Map<string, Certificate>([
    ['ada.example', original.ada],
    ['api.stores.example', original.api],
  ])
  const sites = new Map<string, Site>([
    ['ada.example', () => new Response('Ada')],
    ['ben.example', () => new Response('Ben')],
    [
      'api.stores.example',
      (request) => new Response(contextOf(request)?.peer.requestIP(request)?.address ?? 'unknown'),
    ],
  ])

  const apiHost = 'api.stores.example'
  const hosts = createTestHosts({
    platform: (request) => sites.get(apiHost)?.(request) ?? new Response(null, { status: 500 }),
    domains: {
      get(name) {
        const site = sites.get(name)
        return site && { site }
      },
    },
    certificateOf: (name) => certificates.get(name),
  })
  const sayHost: Hosts['respondInClear'] = (_, host) => new Response(`in the clear: ${host}`)

  return {
    folder: folder.path,
    clock,
    logged,
    certificates,
    sites,
    start({ respondInClear = sayHost, ...options }: StartOptions = {}) {
      const one = startPublicListeners({
        publicHost: '::',
        httpPort: 0,
        httpsPort: 0,
        hosts: {
          ...hosts,
          respondInClear: (request, host) =>
            (request.method === 'CONNECT' ? hosts.respondInClear : respondInClear)(request, host),
        },
        needsAddresses: (name) => name === apiHost,
        trustedProxies: [],
        socketDirectory: join(folder.path, 'sockets'),
        log: testLog(logged),
        clock,
        observe: () => {},
        ...options,
      })
      started.push(one)
      return { ...one, https: one.httpsPort ?? 0 }
    },
    async close() {
      for (const one of started) await one.stop()
      folder.remove()
    },
  }
}
export type ListenerWorld = ReturnType<typeof createListenerWorld>

/** Sends a GET with the server name `name` (null for none): status and body, or `failed: …`. */
export const get = (port: number, name: string | null, host = name ?? '') =>
  sendHttps({ port, name, ca: issuer.root, text: getRequest(host) }).then((text) =>
    text.startsWith('failed') ? text : parseResponse(text),
  )

/** The ClientHello of a client that names `ada.example` and offers `protocols`. */
export async function helloOf(protocols: string[]): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  const trap = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (_, bytes) => resolve(bytes.slice()) } })
  const socket = connect({ host: '127.0.0.1', port: trap.port, servername: 'ada.example', ALPNProtocols: protocols })
  socket.on('error', () => {})
  const bytes = await promise
  socket.destroy()
  trap.stop(true)
  return bytes
}

/**
 * Opens a connection that sends `bytes`; `closed` resolves to what came back, and `onData` gets what came until then.
 */
export async function openRaw(port: number, bytes: string | Uint8Array, onData?: (text: string) => void) {
  const closed = Promise.withResolvers<string>()
  let text = ''
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_, received) {
        text += received.toString('latin1')
        onData?.(text)
      },
      close: () => closed.resolve(text),
      error: () => closed.resolve(text),
    },
  })
  socket.write(bytes)
  return { socket, closed: closed.promise }
}
