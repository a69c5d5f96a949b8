/**
 * Errors of a certificate authority: its problem documents (RFC 7807, RFC 8555 section 6.7), and replies that are
 * missing or wrong.
 */

export interface Subproblem {
  /** Without the prefix of ACME: `caa`, `dns`. */
  readonly type: string
  readonly detail: string
  /** The name that it is about. */
  readonly identifier?: string
}

/** The certificate authority rejected a request, an order or a challenge; `message` has its own words. */
export class AcmeProblem extends Error {
  override readonly name = 'AcmeProblem'
  /** The type without the prefix of ACME: `rateLimited`, `rejectedIdentifier`; `about:blank` if it named none. */
  readonly type: string
  /** The status of the response; 0 for the error of an order or a challenge. */
  readonly status: number
  readonly subproblems: readonly Subproblem[]
  /** Unix milliseconds: the time before which it accepts no further request. */
  readonly retryAtMs: number | undefined

  constructor(problem: Omit<ProblemDocument, 'detail'> & { detail: string }, status: number, retryAtMs?: number) {
    super(problem.detail)
    this.type = problem.type
    this.status = status
    this.subproblems = problem.subproblems
    this.retryAtMs = retryAtMs
  }
}

/** The authority rejects the account of this service, and so every order, whatever its name. */
export class AccountRejected extends AcmeProblem {
  constructor({ type, message, subproblems, status, retryAtMs }: AcmeProblem) {
    super({ type, detail: message, subproblems }, status, retryAtMs)
  }
}

/**
 * Whether a response says that the account may not do this (RFC 8555, section 7.3.6: it was deactivated). The error of
 * a challenge may have the same type, but has no status.
 */
export function isUnauthorized(error: unknown): error is AcmeProblem {
  return error instanceof AcmeProblem && error.type === 'unauthorized' && error.status !== 0
}

/** The certificate authority could not be reached, did not reply in time, or sent something that is not ACME. */
export class AcmeUnavailable extends Error {
  override readonly name = 'AcmeUnavailable'
  /** Unix milliseconds: the time before which it wants no further request. */
  readonly retryAtMs: number | undefined

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAtMs?: number | undefined } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.retryAtMs = options.retryAtMs
  }
}

export interface ProblemDocument {
  readonly type: string
  readonly detail: string
  readonly subproblems: readonly Subproblem[]
}

const prefix = 'urn:ietf:params:acme:error:'
const maximumDetail = 2_000
const maximumSubproblems = 10

/** Reads a problem document; members that are missing or of another type become empty. */
export function readProblem(json: unknown): ProblemDocument {
  const { type, detail, title, subproblems } = membersOf(json)
  const list = Array.isArray(subproblems) ? subproblems.slice(0, maximumSubproblems) : []
  return {
    type: shortType(type),
    detail: textOf(detail) || textOf(title) || 'It gave no reason.',
    subproblems: list.map((one) => {
      const { type, detail, identifier } = membersOf(one)
      const name = textOf(membersOf(identifier)['value'])
      return { type: shortType(type), detail: textOf(detail), ...(name === '' ? {} : { identifier: name }) }
    }),
  }
}

/** The words of the authority: the detail, then those of the subproblems that it does not repeat. */
export function wordsOf({ message, subproblems }: Pick<AcmeProblem, 'message' | 'subproblems'>): string {
  const further = subproblems
    .filter(({ detail }) => detail !== '' && !message.includes(detail))
    .map(({ identifier, detail }) => (identifier === undefined ? detail : `${identifier}: ${detail}`))
  return [message, ...further].join(' ').slice(0, maximumDetail)
}

function shortType(type: unknown): string {
  const text = textOf(type)
  return (text.startsWith(prefix) ? text.slice(prefix.length) : text).slice(0, 100) || 'about:blank'
}

/** One line of limited length: the text is stored, logged and shown. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') return ''
  return value.slice(0, maximumDetail).replace(/\s+/g, ' ').trim()
}

export function membersOf(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
}
