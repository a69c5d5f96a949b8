/**
 * Hosting as a whole, as its operator sees it from outside: the compiled executable with DNS servers and a certificate
 * authority, used only over HTTP and HTTPS.
 */

import { startFakeCa } from '../../hosting/certificates/testing/fake-ca.ts'
import { buildZip } from '../../hosting/deploys/testing/zip.ts'
import { emptyFolder, isBuilt, runPetstore, startPetstoreProcess } from '../executable.ts'
import { getRequest, openHttps, parseResponse, sendHttps } from '../https-client.ts'
import { hasPebble, startPebble } from '../peers/pebble.ts'
import { sendRaw } from '../send-raw.ts'
import { serviceAddress as address, canServeNames, hasDnsPeers, startFakeNames, startPeerNames } from './names.ts'

export const canRunFakes = isBuilt && canServeNames
export const canRunPeers = canRunFakes && hasDnsPeers && hasPebble

/** A name for which the authority issues no certificate. */
export const blockedName = 'www.paws.example'
/** The name of the authority in CAA records. */
export const caaIdentity = 'ca.example'

/** The ports that browsers and the authority use: the service has its own loopback address. */
const [httpPort, httpsPort] = [80, 443]
/** The longest wait. It is shorter than the timeout of a test, so that the error says what is missing. */
const timeoutMs = 30_000

/** With Pebble, PowerDNS and unbound, or, with `fakes`, an authority and DNS servers in this process. */
export async function openHostingWorld(kind: 'peers' | 'fakes') {
  const folder = emptyFolder()
  const names = kind === 'peers' ? await startPeerNames() : await startFakeNames()
  const fake =
    kind === 'fakes' ? await startFakeCa({ now: Date.now, httpPort: () => httpPort, webAddress: address }) : undefined
  const pebble =
    kind === 'peers'
      ? await startPebble({ httpPort, dnsServer: `${names.resolver}:53`, blocked: [blockedName] })
      : undefined
  const root = fake?.root ?? (await pebble?.root()) ?? ''
  const args = [
    ...['--platform-domain', 'stores.example', '--public-host', address, '--public-address', address],
    ...['--dns-resolver', names.resolver, '--allow-private-addresses'],
    ...['--acme-directory', fake?.directoryUrl ?? pebble?.directoryUrl ?? '', '--caa-identity', caaIdentity],
  ]
  const env: Record<string, string> = pebble ? { NODE_EXTRA_CA_CERTS: pebble.caFile } : {}
  const start = () => startPetstoreProcess(args, { cwd: folder.path, env })
  let server = await start()
  const key = server.ready.key ?? ''

  async function call(method: string, path: string, body?: object | Uint8Array) {
    const isArchive = body instanceof Uint8Array
    const response = await fetch(`${server.ready.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': isArchive ? 'application/zip' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isArchive ? new Blob([new Uint8Array(body)]) : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      text,
      json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null,
    }
  }

  /** Calls `find` until it resolves to something that is not undefined or false. */
  async function until<T>(find: () => Promise<T>, longestMs = timeoutMs): Promise<Exclude<T, undefined | false>> {
    const endMs = performance.now() + longestMs
    let last: unknown
    while (performance.now() < endMs) {
      last = await find()
      if (last !== undefined && last !== false) return last as Exclude<T, undefined | false>
      await Bun.sleep(100)
    }
    const states = await runPetstore(['domains', 'list', '--json'], { cwd: folder.path, env })
    throw new Error(`it did not happen: ${states.out}`)
  }

  const https = (name: string, path = '/') =>
    sendHttps({ address, port: httpsPort, name, ca: root, text: getRequest(name, path) })

  const pathOf = (projectId: number, name: string) => `/v1/projects/${projectId}/domains/${name}`

  return {
    folder: folder.path,
    args,
    root,
    address,
    names,
    /** The authority in this process, if it is one. */
    fake,
    call,
    until,
    get server() {
      return server
    },
    /** Ends it with a signal, unless it has ended; starts it again. */
    async restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      server.signal(signal)
      await server.process.exited
      server = await start()
    },
    /** Runs a command, such as `domains list`, in the directory of the store. */
    run: (...command: readonly string[]) => runPetstore(command, { cwd: folder.path, env }),
    /** A project with a live deploy, in a new account: limits belong to accounts. */
    async newProject(name: string): Promise<{ id: number; slug: string; cnameTarget: string }> {
      const account = await call('POST', '/v1/accounts', { name, plan: 'pro' })
      const { json } = await call('POST', '/v1/projects', { name, accountId: account.json.id })
      const { status, text } = await call('POST', `/v1/projects/${json.id}/deploys`, site(name))
      if (status !== 201) throw new Error(`the deploy was rejected: ${text}`)
      return json
    },
    add: (projectId: number, hostname: string, more = {}) =>
      call('POST', `/v1/projects/${projectId}/domains`, { hostname, ...more }),
    verify: (projectId: number, name: string) => call('POST', `${pathOf(projectId, name)}/verify`),
    domain: async (projectId: number, name: string) => (await call('GET', pathOf(projectId, name))).json,
    change: (projectId: number, name: string, change: object) => call('PATCH', pathOf(projectId, name), change),
    remove: (projectId: number, name: string) => call('DELETE', pathOf(projectId, name)),
    /** Waits until a domain has a state. */
    reach: (projectId: number, name: string, state: string) =>
      until(async () => {
        const { json } = await call('GET', pathOf(projectId, name))
        return json.state === state && json
      }),
    /** The response of HTTPS once a name has a certificate: the listener takes it shortly after it is installed. */
    served: (name: string) =>
      until(async () => {
        const text = await https(name)
        return isServed(text) && text
      }),
    /** The response of an HTTPS request by name whose certificate leads to the root of the authority. */
    https,
    /** A connection that stays open after the response to `text`. */
    open: (name: string, text: string) => openHttps({ address, port: httpsPort, name, ca: root, text }),
    http: (name: string, path = '/') => sendRaw(httpPort, getRequest(name, path), address),
    async stop(): Promise<void> {
      await server.kill()
      await pebble?.stop()
      await fake?.stop()
      await names.stop()
      folder.remove()
    },
  }
}
export type HostingWorld = Awaited<ReturnType<typeof openHostingWorld>>

/** An archive with one page. */
export const site = (content: string): Uint8Array =>
  new Uint8Array(buildZip([{ name: 'index.html', content: `<title>${content}</title>` }]))

export const isServed = (text: string): boolean => !text.startsWith('failed')
export const statusOf = (text: string): number | string => (isServed(text) ? parseResponse(text)[0] : text)
export const fieldOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)\\r$`, 'im').exec(text)?.[1]
