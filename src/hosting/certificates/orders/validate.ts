/** The challenge: the key authorization is stored, so that it can be served, and the authority is told to fetch it. */

import { AcmeProblem, readProblem } from '../acme/problem.ts'
import { Authorization, type Challenge, type Order, parseReply } from '../acme/resources.ts'
import { OrderEnded, type RunningOrder, save } from './parts.ts'

/**
 * Begins the validation of each authorization that is pending. Throws `OrderEnded` if one has failed, with the reason of the
 * authority.
 */
export async function validate(order: RunningOrder, { authorizations }: Order): Promise<void> {
  const { client, signer, signal } = order
  for (const url of authorizations) {
    const reply = await client.post(url, undefined, signer, signal)
    const authorization = parseReply(Authorization, reply.text, 'an authorization')
    if (authorization.status === 'valid') continue
    const challenge = authorization.challenges.find(({ type }) => type === 'http-01')
    if (authorization.status !== 'pending') throw new OrderEnded(failureOf(authorization, challenge))
    if (!challenge?.token) throw new OrderEnded(ownProblem('The certificate authority offers no http-01 challenge.'))
    await begin(order, challenge, challenge.token)
  }
}

async function begin(order: RunningOrder, challenge: Challenge, token: string): Promise<void> {
  const { client, signer, signal, row } = order
  // RFC 8555, section 8.3: base64url, at least 128 bits.
  if (!/^[A-Za-z0-9_-]{16,500}$/.test(token)) {
    throw new OrderEnded(ownProblem('The certificate authority sent a challenge whose token is not valid.'))
  }
  if (row.token !== token || row.state !== 'challenged') {
    const keyAuthorization = `${token}.${signer.key.thumbprint}`
    await save(order, { state: 'challenged', token, keyAuthorization })
  }
  if (challenge.status === 'pending') await client.post(challenge.url, {}, signer, signal)
}

function failureOf({ status }: Authorization, challenge: Challenge | undefined): AcmeProblem {
  if (challenge?.error !== undefined) return new AcmeProblem(readProblem(challenge.error), 0)
  return ownProblem(`The certificate authority has ended the authorization (${status}) without a reason.`)
}

function ownProblem(detail: string): AcmeProblem {
  return new AcmeProblem({ type: 'about:blank', detail, subproblems: [] }, 0)
}
