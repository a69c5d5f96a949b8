/** The first step: the authority gets the order, unless it has it already. */

import { AcmeProblem, AcmeUnavailable } from '../acme/problem.ts'
import { Account, Order, OrderList, parseReply } from '../acme/resources.ts'
import { type RunningOrder, save } from './parts.ts'

/** How many orders of the account are looked at. */
const maximumLookedAt = 10

/** Sends the order and saves its URL. A resumed order may have been sent before the process was killed. */
export async function place(order: RunningOrder, isResumed: boolean): Promise<void> {
  const url = (isResumed ? await findSent(order) : undefined) ?? (await send(order))
  await save(order, { state: 'placed', url })
}

async function send(order: RunningOrder): Promise<string> {
  const { client, signer, signal, row } = order
  const { newOrder, renewalInfo } = await client.directory(signal)
  const replaces = renewalInfo === undefined ? null : row.replaces
  const payload = {
    identifiers: [{ type: 'dns', value: row.hostname }],
    ...(replaces === null ? {} : { replaces }),
  }
  try {
    const reply = await client.post(newOrder, payload, signer, signal)
    const url = reply.headers.get('location')
    if (!url) throw new AcmeUnavailable('The certificate authority sent an order without an address.')
    return url
  } catch (error) {
    // The order is still wanted if the authority does not accept it as a replacement.
    if (replaces === null || !rejectsReplacement(error)) throw error
    await save(order, { replaces: null })
    return send(order)
  }
}

/** `alreadyReplaced` (RFC 9773, section 5), or the certificate is not known, or is another account's. */
function rejectsReplacement(error: unknown): boolean {
  if (!(error instanceof AcmeProblem)) return false
  return ['alreadyReplaced', 'malformed', 'unauthorized'].includes(error.type)
}

/** The URL of an order of this account for the same name that can be continued, if the authority lists its orders. */
async function findSent({ client, signer, signal, row }: RunningOrder): Promise<string | undefined> {
  try {
    const account = parseReply(
      Account,
      (await client.post(signer.accountUrl, undefined, signer, signal)).text,
      'an account',
    )
    if (account.orders === undefined) return undefined
    const list = await client.post(account.orders, undefined, signer, signal)
    const urls = parseReply(OrderList, list.text, 'a list of orders').orders
    for (const url of urls.slice(-maximumLookedAt).reverse()) {
      const reply = await client.post(url, undefined, signer, signal)
      const found = parseReply(Order, reply.text, 'an order')
      const isSame = found.identifiers.length === 1 && found.identifiers[0]?.value === row.hostname
      if (isSame && (found.status === 'pending' || found.status === 'ready')) return url
    }
  } catch (error) {
    signal.throwIfAborted()
    // Let's Encrypt lists no orders, and returns the open one when it is ordered again.
    if (!(error instanceof AcmeProblem || error instanceof AcmeUnavailable)) throw error
    if (error instanceof AcmeProblem && error.type === 'accountDoesNotExist') throw error
  }
  return undefined
}
