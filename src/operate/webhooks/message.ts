/**
 * The message that a receiver gets: the body and the headers of Standard Webhooks 1.0.0
 * (https://github.com/standard-webhooks/standard-webhooks).
 */

import type { StoredEvent } from '../../access/events/log.ts'

const secretPrefix = 'whsec_'
const secretBytes = 32

/** A new secret: 32 random bytes. */
export function generateSecret(): string {
  return secretPrefix + Buffer.from(crypto.getRandomValues(new Uint8Array(secretBytes))).toString('base64')
}

/** An event as it is sent. */
export interface Message {
  /** The same for each attempt, such as `evt_1763979300000000`. */
  readonly id: string
  readonly body: string
}

/** Contains the stored texts unchanged, so that each attempt has the same bytes. */
export function messageOf({ id, type, createdAt, data, previous }: StoredEvent): Message {
  return messageWith(`evt_${id}`, type, createdAt, data, previous)
}

/** The event of a test, which no feed has. */
export function testMessage(webhookId: number, nowMs: number): Message {
  return messageWith(`evt_test_${crypto.randomUUID()}`, 'webhook.test', nowMs, JSON.stringify({ webhookId }), null)
}

function messageWith(id: string, type: string, createdAt: number, data: string, previous: string | null): Message {
  const head = JSON.stringify({ id, type, timestamp: new Date(createdAt).toISOString() }).slice(0, -1)
  return { id, body: `${head},"data":${data}${previous === null ? '' : `,"previous":${previous}`}}` }
}

/** The headers of an attempt at `nowMs` (Unix milliseconds), with a signature for each valid secret. */
export function signedHeaders(
  { id, body }: Message,
  secrets: readonly string[],
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signature(secret, `${id}.${timestamp}.${body}`)).join(' '),
  }
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return `v1,${new Bun.CryptoHasher('sha256', key).update(content).digest('base64')}`
}
