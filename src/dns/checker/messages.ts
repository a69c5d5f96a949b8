/**
 * The messages between a server and the process that checks names for it: JSON documents, one a line, on the standard input
 * and output of that process.
 */

import type { Diagnosis } from '../report.ts'
import type { CheckOptions, CheckRequest } from '../request.ts'

/** The command of the process. It is not in the help. */
export const checkerCommand = 'domains checker'

/**
 * The version of the messages, the operand of the command. While a server runs, its executable may be replaced: a process
 * that expects other messages ends at once.
 */
export const messageVersion = '1'

/** The options of a check that can be sent. */
export type SentOptions = Pick<CheckOptions, 'resolvers' | 'allowPrivateAddresses' | 'limits'>

/** To the process. */
export type CheckerRequest =
  | { readonly id: number; readonly check: CheckRequest; readonly options: SentOptions }
  | { readonly id: number; readonly cancel: true }

/** From the process; `ready` is its first message. */
export type CheckerReply =
  | { readonly ready: typeof messageVersion }
  | { readonly id: number; readonly diagnosis: Diagnosis }
  | { readonly id: number; readonly error: string }

export function lineOf(message: CheckerRequest | CheckerReply): string {
  return `${JSON.stringify(message)}\n`
}

/** The messages of a stream in their order. An incomplete one at the end is left out. */
export async function* messagesOf<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as T
  }
}
