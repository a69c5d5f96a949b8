/** Orders of the fake certificate authority: their JSON, and the validation of their challenge. */

export const prefix = 'urn:ietf:params:acme:error:'

export interface Problem {
  readonly type: string
  readonly detail: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly subproblems?: readonly object[]
}

/** The requests of an order, by the names that tests use. */
export type Step =
  | 'directory'
  | 'newNonce'
  | 'newAccount'
  | 'account'
  | 'orders'
  | 'newOrder'
  | 'order'
  | 'authorization'
  | 'challenge'
  | 'finalize'
  | 'certificate'
  | 'renewalInfo'

export interface FakeOrder {
  readonly id: string
  readonly hostname: string
  readonly replaces: string | undefined
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid'
  authorization: 'pending' | 'valid' | 'invalid'
  isValidating: boolean
  error?: object
  chain?: string
}

/** The server from which challenges are fetched. */
export interface WebServer {
  readonly address: string
  readonly port: number
}

const tokenOf = (order: FakeOrder) => `token-of-order-number-${order.id}-of-this-authority`

export function orderOf(order: FakeOrder, base: string) {
  return {
    status: order.status,
    identifiers: [{ type: 'dns', value: order.hostname }],
    authorizations: [`${base}/authorization/${order.id}`],
    finalize: `${base}/finalize/${order.id}`,
    ...(order.status === 'valid' ? { certificate: `${base}/certificate/${order.id}` } : {}),
  }
}

export function authorizationOf(order: FakeOrder, base: string) {
  const status = order.isValidating ? 'processing' : order.authorization
  const token = tokenOf(order)
  const error = order.error ? { error: order.error } : {}
  return {
    status: order.authorization,
    identifier: { type: 'dns', value: order.hostname },
    challenges: [
      { type: 'dns-01', url: `${base}/other`, status: 'pending', token },
      { type: 'http-01', url: `${base}/challenge/${order.id}`, status, token, ...error },
    ],
  }
}

/** Fetches the challenge as an authority does; every name has the address of `web`. Returns the error, if it fails. */
export async function validate(order: FakeOrder, web: WebServer, thumbprint: string): Promise<object | undefined> {
  const { address, port } = web
  const path = `/.well-known/acme-challenge/${tokenOf(order)}`
  try {
    const response = await fetch(`http://${address}:${port}${path}`, { headers: { Host: order.hostname } })
    const text = (await response.text()).trim()
    if (text === `${tokenOf(order)}.${thumbprint}`) return undefined
    const detail = `${address}: Invalid response from http://${order.hostname}${path}: ${response.status}`
    return { type: `${prefix}unauthorized`, detail, status: 403 }
  } catch {
    return { type: `${prefix}connection`, detail: `${address}: Connection refused`, status: 400 }
  }
}
