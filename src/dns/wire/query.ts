/**
 * Encodes queries whose replies are hard to forge: they have a random id and letters in random case (0x20), which the
 * reply must repeat. The socket adds a random port and a fixed peer.
 */

import { encode, RECURSION_DESIRED } from 'dns-packet'
import { type Question, readHeader, readQuestion } from './read-message.ts'
import { type QueryType, typeNumber } from './record.ts'

const checkingDisabled = 1 << 4
// RFC 9715: datagrams of this size are not fragmented.
const udpPayloadSize = 1232

export interface QuerySpec {
  readonly name: string
  readonly type: QueryType
  readonly recursionDesired?: boolean
  /** Asks a validating resolver not to validate DNSSEC. */
  readonly checkingDisabled?: boolean
  /** Without EDNS, for servers that don't know it. */
  readonly plain?: boolean
}

export interface Query {
  readonly id: number
  readonly bytes: Uint8Array
  readonly question: Question
}

/** Whether a name can be sent unchanged. Names from replies may have octets that need escapes. */
export function isSendable(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => /^[\w*/+:=@~-]{1,63}$/.test(label))
}

export function createQuery({ name, type, recursionDesired, checkingDisabled: cd, plain }: QuerySpec): Query {
  const [id = 0] = crypto.getRandomValues(new Uint16Array(1))
  const sentName = randomCase(name)
  const flags = (recursionDesired ? RECURSION_DESIRED : 0) | (cd ? checkingDisabled : 0)
  const bytes = encode({
    type: 'query',
    id,
    flags,
    questions: [{ name: sentName === '' ? '.' : sentName, type, class: 'IN' }],
    additionals: plain
      ? []
      : [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ],
  })
  return { id, bytes: new Uint8Array(bytes), question: { name: sentName, type: typeNumber(type), class: 1 } }
}

function randomCase(name: string): string {
  const random = crypto.getRandomValues(new Uint8Array(name.length))
  return [...name].map((letter, i) => ((random[i] ?? 0) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join('')
}

/**
 * Whether a message is the reply to a query. `no`: the message must be ignored, because it may be an attempt to guess a
 * reply. `other_case`: the server does not repeat the case of the letters, or the reply is forged; TCP decides that.
 */
export function matchReply(query: Query, bytes: Uint8Array): 'yes' | 'other_case' | 'no_question' | 'no' {
  const header = readHeader(bytes)
  if (header?.id !== query.id || !header.isResponse || header.opcode !== 0) return 'no'
  // Servers that reject a query may omit the question.
  if (header.questions === 0) return 'no_question'
  const question = readQuestion(bytes)
  if (question?.type !== query.question.type || question.class !== query.question.class) return 'no'
  if (question.name === query.question.name) return 'yes'
  return question.name.toLowerCase() === query.question.name.toLowerCase() ? 'other_case' : 'no'
}
