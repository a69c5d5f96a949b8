/** `petstore webhooks listen`: sends events to a program on this machine as a webhook would, while it is developed. */

import type { Event } from '../access/events/schemas.ts'
import { text, UsageError } from '../config/values.ts'
import { printable } from '../lib/log.ts'
import { systemReason } from '../lib/system-error.ts'
import { generateSecret, messageOf, signedHeaders } from '../operate/webhooks/message.ts'
import { attemptMs } from '../operate/webhooks/send.ts'
import { withServer } from './client.ts'
import type { Command, Invocation } from './command.ts'
import { follow, selectionOf, selectionOptions } from './events.ts'

export const webhooksListen: Command = {
  name: 'webhooks listen',
  summary: 'send events to a program on this machine, to develop a receiver',
  details:
    'Runs until it is interrupted, and creates no webhook. It prints the secret that signs the requests, then a line for each answer. Nothing is tried again. With --json it prints one JSON document a line: the secret, then the answers.',
  options: {
    'forward-to': {
      type: 'string',
      value: 'URL',
      help: 'where the events are sent, such as http://localhost:3000/hook',
      default: 'required',
    },
    ...selectionOptions,
  },
  examples: [
    'webhooks listen --forward-to http://localhost:3000/hook',
    "webhooks listen --forward-to http://localhost:3000/hook --types 'order.*,pet.*'",
  ],
  async run(invocation: Invocation) {
    const { values, terminal } = invocation
    const target = targetOf(text(values, 'forward-to'))
    const selection = selectionOf(values)
    const secret = generateSecret()
    const isJson = values['json'] === true
    return await withServer(invocation, async (client) => {
      terminal.out(isJson ? `${JSON.stringify({ secret })}\n` : `${secret}\n`)
      terminal.err(`petstore: Events are sent to ${printable(target)}, signed with this secret.\n`)
      const forward = async (event: Event) => {
        const { status, error } = await send(target, secret, event)
        const { id, type } = event
        const line = isJson
          ? JSON.stringify({ id: `evt_${id}`, type, status, error })
          : printable(`${id}  ${type.padEnd(18)}  ${status ?? error}`)
        await terminal.write(`${line}\n`)
      }
      return await follow(client, { selection, after: undefined }, forward, terminal)
    })
  },
}

function targetOf(given: string | undefined): string {
  if (given === undefined)
    throw new UsageError('--forward-to is missing: petstore webhooks listen --forward-to http://localhost:3000/hook.')
  const url = URL.parse(given)
  if (url && /^https?:$/.test(url.protocol)) return url.href
  throw new UsageError(`--forward-to must be an address such as http://localhost:3000/hook, not "${given}".`)
}

interface Answer {
  readonly status: number | null
  readonly error: string | null
}

async function send(target: string, secret: string, { id, type, createdAt, data, previous }: Event): Promise<Answer> {
  const message = messageOf({
    id,
    type,
    createdAt: Date.parse(createdAt),
    data: JSON.stringify(data),
    previous: previous === undefined ? null : JSON.stringify(previous),
  })
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: signedHeaders(message, [secret], Date.now()),
      body: message.body,
      redirect: 'manual',
      // A proxy of the environment does not reach this machine.
      proxy: false,
      signal: AbortSignal.timeout(attemptMs),
    } as unknown as RequestInit)
    await response.body?.cancel()
    return { status: response.status, error: null }
  } catch (error) {
    return { status: null, error: systemReason(error) }
  }
}
