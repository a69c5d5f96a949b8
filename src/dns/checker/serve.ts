/** The process that checks names for a server: checks what it reads, and writes the results as they come. */

import { messageOf } from '../../lib/error.ts'
import { type CheckerReply, type CheckerRequest, lineOf, messagesOf, messageVersion } from './messages.ts'

/** Returns when the server has closed the input: it has ended, or needs no more checks. Checks in progress are aborted then. */
export async function serveChecks(input: ReadableStream<Uint8Array>, write: (line: string) => unknown): Promise<void> {
  const running = new Map<number, AbortController>()
  const reply = (message: CheckerReply) => void write(lineOf(message))
  const { checkDomain } = await import('../check.ts')

  async function check({ id, check: request, options }: Extract<CheckerRequest, { check: unknown }>): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    try {
      // The responses of all servers are for people who watch; the server keeps the findings alone.
      const { lookups: _, ...diagnosis } = await checkDomain(request, { ...options, signal: controller.signal })
      reply({ id, diagnosis })
    } catch (error) {
      reply({ id, error: messageOf(error) })
    } finally {
      running.delete(id)
    }
  }

  reply({ ready: messageVersion })
  for await (const message of messagesOf<CheckerRequest>(input)) {
    if ('cancel' in message) running.get(message.id)?.abort()
    else void check(message)
  }
  for (const controller of running.values()) controller.abort()
}
