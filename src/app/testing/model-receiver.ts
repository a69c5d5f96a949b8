/**
 * A receiver of webhooks that knows the events which it received and acknowledged, and lists those that no server may
 * send.
 */

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { Event } from '../../access/events/schemas.ts'

/**
 * How a receiver answers: at once, or after some milliseconds and with 503 to some of the events that it sees for the
 * first time.
 */
export type Temper = 'prompt' | 'troubled'

export type ModelReceiver = Awaited<ReturnType<typeof startModelReceiver>>

export async function startModelReceiver(temper: Temper, kinds: readonly string[]) {
  const wrong: string[] = []
  const bodies = new Map<number, string>()
  const unread: (readonly [number, string])[] = []
  let delivered = new Set<number>()
  /** The event that was acknowledged last, until the next request: the server may not have noted it yet. */
  let unsure: number | undefined
  /**
   * Those that were not certainly noted when a server ended or a backup began, or were requested: they may be
   * acknowledged once more.
   */
  const mayComeAgain = new Set<number>()
  let newest = 0
  const state = { secret: '', isDead: false, isPaused: false }

  /** Returns the status to answer with; undefined to hang up. */
  function receive(body: string, { headers }: IncomingMessage): number | undefined {
    const message = new Webhook(state.secret).verify(body, headers as Record<string, string>) as { id: string }
    const id = Number(message.id.slice('evt_'.length))
    const before = bodies.get(id)
    if (headers['webhook-id'] !== message.id) wrong.push(`${id} came as ${headers['webhook-id']}`)
    if (state.isPaused) wrong.push(`${id} came while deliveries were paused`)
    if (before === undefined && id < newest) wrong.push(`${id} came for the first time after ${newest}`)
    if (before !== undefined && before !== body) wrong.push(`${id} came with other bytes than before`)
    if (delivered.has(id) && !mayComeAgain.has(id)) wrong.push(`${id} came again after it had been delivered`)
    unsure = undefined
    bodies.set(id, body)
    unread.push([id, body])
    newest = Math.max(newest, id)
    if (state.isDead) return undefined
    if (temper === 'troubled' && before === undefined && id % 7 === 0) return 503
    mayComeAgain.delete(id)
    delivered.add(id)
    unsure = id
    return 204
  }

  const server = createServer(async (request, response) => {
    // Undefined of a server that ended meanwhile.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    try {
      const status = receive(body, request)
      if (temper === 'troubled') await Bun.sleep(bodies.size % 20)
      if (status === undefined) request.socket.destroy()
      else response.writeHead(status).end()
    } catch (error) {
      wrong.push(String(error))
      response.writeHead(400).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    gets: ({ type }: Event): boolean => kinds.some((kind) => type.startsWith(`${kind}.`)),
    /** What no server may send. */
    wrong: wrong as readonly string[],
    /** The ids of the events that it has acknowledged, except for those that a restore took back. */
    delivered: () => [...delivered].sort((a, b) => a - b),
    /** The ids and bodies of the requests since the last call. */
    take: () => unread.splice(0),
    /** To be called before somebody asks for an event again, which may have been delivered meanwhile. */
    willBeAskedFor: (id: number) => void mayComeAgain.add(id),
    /** To be called after a server has ended and before the next one starts. */
    async serverEnded() {
      // What it sent until its end waits in the sockets of this process.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      if (unsure !== undefined) mayComeAgain.add(unsure)
    },
    /** To be called before a backup; the function that is returned, after the backup was restored. */
    beforeBackup() {
      if (unsure !== undefined) mayComeAgain.add(unsure)
      const [before, again] = [[...delivered], [...mayComeAgain]]
      return () => {
        delivered = new Set(before)
        for (const id of again) mayComeAgain.add(id)
        unsure = undefined
      }
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  })
}

/** The body of the request with an event. */
export function bodyOf({ id, type, createdAt, data, previous }: Event): string {
  return JSON.stringify({ id: `evt_${id}`, type, timestamp: createdAt, data, ...(previous ? { previous } : {}) })
}
