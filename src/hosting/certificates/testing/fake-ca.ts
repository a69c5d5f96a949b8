/**
 * A certificate authority for tests, in this process: a real HTTP server that speaks RFC 8555 and RFC 9773, verifies
 * signatures and nonces, fetches http-01 challenges, and issues real certificates. Tests inject problems.
 */

import type { Server } from 'bun'
import { authorizationOf, type FakeOrder, orderOf, type Problem, prefix, type Step, validate } from './fake-order.ts'
import { createIssuer } from './issuer.ts'
import { type JwsRequest, readJws } from './jws.ts'

export interface FakeCaOptions {
  /** Unix milliseconds, for `Date` and certificates. */
  readonly now: () => number
  /** The port at which http-01 challenges of any name are fetched. */
  readonly httpPort: () => number
  /** The address of that port; 127.0.0.1 unless given. */
  readonly webAddress?: string
}

type Injected = Problem | Response | (() => Problem | Response | undefined | Promise<Problem | Response | undefined>)

export async function startFakeCa({ now, httpPort, webAddress = '127.0.0.1' }: FakeCaOptions) {
  const issuer = await createIssuer()
  const nonces = new Set<string>()
  const accounts = new Map<string, { readonly url: string; contact: unknown; jwk: object; isDeactivated?: boolean }>()
  const orders = new Map<string, FakeOrder>()
  const requests: { readonly step: Step; readonly payload: unknown }[] = []
  const injected = new Map<Step, Injected[]>()
  const settings = {
    lifetimeMs: 90 * 86_400_000,
    /** Reject this many good nonces. */
    badNonces: 0,
    listsOrders: true,
    hasRenewalInfo: true,
    eab: undefined as { readonly kid: string; readonly key: string } | undefined,
    /** The window of renewal information, from the times of the certificate. */
    window: undefined as { readonly start: string; readonly end: string } | undefined,
    renewalRetryAfter: '21600',
    /** How often an order is looked at before it is valid after its request. */
    processingLooks: 0,
    /** Whether an authorization of a name that was validated before is valid at once. */
    reusesAuthorizations: false,
    /** Runs when a request has been processed, before its response is sent. */
    beforeResponse: undefined as ((step: Step) => Promise<void>) | undefined,
  }
  const validated = new Set<string>()
  const looks = new Map<string, number>()
  const replaced = new Set<string>()
  const lifetimes = new Map<string, { notBefore: number; notAfter: number }>()

  const server: Server<undefined> = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: respond, idleTimeout: 0 })
  const base = `http://127.0.0.1:${server.port}`

  function newNonce(): string {
    const nonce = crypto.randomUUID().replaceAll('-', '')
    nonces.add(nonce)
    return nonce
  }

  function headers(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { 'Replay-Nonce': newNonce(), Date: new Date(now()).toUTCString(), ...extra }
  }

  const json = (body: object, status = 200, extra: Readonly<Record<string, string>> = {}) =>
    new Response(JSON.stringify(body), { status, headers: headers({ 'Content-Type': 'application/json', ...extra }) })

  function dated(response: Response): Response {
    response.headers.set('Date', new Date(now()).toUTCString())
    return response
  }

  const problem = ({ type, detail, status = 400, headers: extra = {}, subproblems }: Problem) =>
    new Response(JSON.stringify({ type: prefix + type, detail, status, ...(subproblems ? { subproblems } : {}) }), {
      status,
      headers: headers({ 'Content-Type': 'application/problem+json', ...extra }),
    })

  async function respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, step = '', id = ''] = pathname.split('/') as [string, Step, string]
    const jws = request.method === 'POST' ? await readJws(request) : undefined
    requests.push({ step: step as Step, payload: jws?.payload })
    const planned = injected.get(step as Step)?.shift()
    const early = typeof planned === 'function' ? await planned() : planned
    if (early) return early instanceof Response ? dated(early) : problem(early)
    if (jws) {
      const fault = verify(jws, request.url)
      if (fault) return problem(fault)
    }
    const response = await handle(step as Step, id, jws)
    await settings.beforeResponse?.(step as Step)
    return response
  }

  function verify(jws: JwsRequest, url: string): Problem | undefined {
    const isFresh = nonces.delete(jws.nonce)
    if (!isFresh || settings.badNonces > 0) {
      if (settings.badNonces > 0) settings.badNonces--
      return { type: 'badNonce', detail: 'The nonce was not accepted.' }
    }
    if (jws.url !== url) return { type: 'unauthorized', detail: `The url is ${jws.url}.`, status: 401 }
    const jwk = jws.jwk ?? [...accounts.values()].find(({ url }) => url === jws.kid)?.jwk
    if (!jwk) return { type: 'accountDoesNotExist', detail: 'Account not found.' }
    if (accounts.get(JSON.stringify(jwk))?.isDeactivated) {
      return { type: 'unauthorized', detail: 'Account is not valid, has status "deactivated"', status: 403 }
    }
    if (!jws.isSignedBy(jwk)) return { type: 'malformed', detail: 'JWS verification error' }
    return undefined
  }

  async function handle(step: Step, id: string, jws: JwsRequest | undefined): Promise<Response> {
    if (step === 'directory') return json(directory())
    if (step === 'newNonce') return new Response(null, { headers: headers() })
    if (step === 'renewalInfo') return renewalInfo(id)
    if (!jws) return problem({ type: 'malformed', detail: 'Method not allowed', status: 405 })
    if (step === 'newAccount') return newAccount(jws)
    if (step === 'account') return account(jws)
    if (step === 'orders') return json({ orders: [...orders.keys()].map((key) => `${base}/order/${key}`) })
    if (step === 'newOrder') return newOrder(jws)
    const order = orders.get(id)
    if (!order) return problem({ type: 'malformed', detail: 'No such order', status: 404 })
    if (step === 'order') return look(order)
    if (step === 'authorization') return json(authorizationOf(order, base))
    if (step === 'challenge') return challenge(order, jws)
    if (step === 'finalize') return finalize(order, jws)
    if (step === 'certificate' && order.chain !== undefined) {
      return new Response(order.chain, { headers: headers({ 'Content-Type': 'application/pem-certificate-chain' }) })
    }
    return problem({ type: 'malformed', detail: 'Page not found', status: 404 })
  }

  function directory() {
    return {
      newNonce: `${base}/newNonce`,
      newAccount: `${base}/newAccount`,
      newOrder: `${base}/newOrder`,
      ...(settings.hasRenewalInfo ? { renewalInfo: `${base}/renewalInfo` } : {}),
      meta: {
        termsOfService: `${base}/terms`,
        caaIdentities: ['ca.example'],
        ...(settings.eab ? { externalAccountRequired: true } : {}),
      },
    }
  }

  function newAccount(jws: JwsRequest): Response {
    const key = JSON.stringify(jws.jwk)
    const known = accounts.get(key)
    if (known) return json({ status: 'valid' }, 200, { Location: known.url })
    if (settings.eab && !jws.isBoundBy(settings.eab)) {
      return problem({ type: 'unauthorized', detail: 'The external account binding is wrong.', status: 403 })
    }
    const url = `${base}/account/${accounts.size + 1}`
    accounts.set(key, { url, contact: jws.payload['contact'], jwk: jws.jwk ?? {} })
    return json({ status: 'valid', orders: `${base}/orders` }, 201, { Location: url })
  }

  function account(jws: JwsRequest): Response {
    const found = [...accounts.values()].find(({ url }) => url === jws.kid)
    if (found && jws.payload['contact'] !== undefined) found.contact = jws.payload['contact']
    return json({ status: 'valid', ...(settings.listsOrders ? { orders: `${base}/orders` } : {}) })
  }

  function newOrder(jws: JwsRequest): Response {
    const { identifiers, replaces } = jws.payload as { identifiers: { value: string }[]; replaces?: string }
    if (replaces !== undefined && replaced.has(replaces)) {
      return problem({ type: 'alreadyReplaced', detail: 'The certificate has been replaced already.', status: 409 })
    }
    if (replaces !== undefined) replaced.add(replaces)
    const hostname = identifiers[0]?.value ?? ''
    const isReused = settings.reusesAuthorizations && validated.has(hostname)
    const order: FakeOrder = {
      id: String(orders.size + 1),
      hostname,
      replaces,
      status: isReused ? 'ready' : 'pending',
      authorization: isReused ? 'valid' : 'pending',
      isValidating: false,
    }
    orders.set(order.id, order)
    return json(orderOf(order, base), 201, { Location: `${base}/order/${order.id}` })
  }

  function look(order: FakeOrder): Response {
    if (order.status === 'processing') {
      const left = looks.get(order.id) ?? 0
      if (left <= 0) order.status = 'valid'
      looks.set(order.id, left - 1)
    }
    return json(orderOf(order, base))
  }

  async function challenge(order: FakeOrder, jws: JwsRequest): Promise<Response> {
    if (order.authorization === 'pending' && !order.isValidating) {
      order.isValidating = true
      const error = await validate(
        order,
        { address: webAddress, port: httpPort() },
        jws.thumbprint([...accounts.values()].find(({ url }) => url === jws.kid)?.jwk),
      )
      order.isValidating = false
      order.authorization = error ? 'invalid' : 'valid'
      order.status = error ? 'invalid' : 'ready'
      if (error) order.error = error
      else validated.add(order.hostname)
    }
    return json(authorizationOf(order, base).challenges[1] ?? {})
  }

  async function finalize(order: FakeOrder, jws: JwsRequest): Promise<Response> {
    if (order.status !== 'ready') {
      return problem({ type: 'orderNotReady', detail: `Order's status is ${order.status}`, status: 403 })
    }
    const notBefore = Math.floor(now() / 1000) * 1000
    const issued = await issuer.issue(String(jws.payload['csr']), notBefore, notBefore + settings.lifetimeMs)
    if (issued.names.join() !== order.hostname) return problem({ type: 'badCSR', detail: 'Wrong names in the CSR' })
    order.chain = issued.chain
    order.status = 'processing'
    looks.set(order.id, settings.processingLooks)
    lifetimes.set(issued.renewalId, { notBefore, notAfter: notBefore + settings.lifetimeMs })
    return json(orderOf(order, base))
  }

  function renewalInfo(id: string): Response {
    const found = lifetimes.get(id)
    if (!found) return problem({ type: 'malformed', detail: 'Certificate not found', status: 404 })
    const at = (part: number) => new Date(found.notBefore + (found.notAfter - found.notBefore) * part).toISOString()
    const suggestedWindow = settings.window ?? { start: at(0.6), end: at(0.7) }
    return json({ suggestedWindow }, 200, { 'Retry-After': settings.renewalRetryAfter })
  }

  return {
    directoryUrl: `${base}/directory`,
    settings,
    orders,
    accounts,
    requests,
    issuer,
    /** The root certificate, in PEM. */
    root: issuer.root,
    count: (step: Step): number => requests.filter((request) => request.step === step).length,
    /** The next requests of a step get these instead of their responses; undefined: the usual one. */
    inject(step: Step, ...responses: Injected[]): void {
      injected.set(step, [...(injected.get(step) ?? []), ...responses])
    },
    /** Ends listening; requests that are waiting lose their connections. */
    stop: () => server.stop(true),
  }
}
export type FakeCa = Awaited<ReturnType<typeof startFakeCa>>
