/**
 * The endpoints of an ephemeral store below `/test`. They offer the functions of the package to tests in any language.
 */

import { sha256 } from '../../access/keys/rules.ts'
import { errorResponse } from '../../api/errors.ts'
import type { Site } from '../../api/host.ts'
import { pathOf } from '../../api/target.ts'
import { AppError } from '../../lib/error.ts'
import { invalid, membersOf } from './options.ts'

/** The store that tests control; see `EphemeralStore`. */
export interface ControlledStore {
  readonly key: string
  now(): number
  /** `name` is that of the value in messages. */
  advance(ms: unknown, name: string): void
  fail(match: unknown, fault: unknown, options: unknown): number
  removeFault(id: number): boolean
  clearFaults(): void
  requests(): readonly unknown[]
  reset(changes: unknown): Promise<void>
}

const headers = { 'cache-control': 'no-store' }

/**
 * Serves the paths below `/test/`. Every request needs the key of the store; none counts towards limits or is in the
 * journal.
 */
export function createTestApi(store: ControlledStore, url: () => string): Site {
  const time = () => ({ now: new Date(store.now()).toISOString() })

  const operations: Readonly<Record<string, (body: unknown, id: number) => unknown>> = {
    'GET /test/clock': time,
    'POST /test/clock'(body) {
      store.advance(membersOf('/test/clock', body, ['advanceMs']).advanceMs, 'advanceMs')
      return time()
    },
    'POST /test/faults'(body) {
      const { method, path, fault, times } = membersOf('/test/faults', body, ['method', 'path', 'fault', 'times'])
      return { id: store.fail({ method, path }, fault, { times }) }
    },
    'DELETE /test/faults': () => store.clearFaults(),
    'DELETE /test/faults/{id}'(_, id) {
      if (!store.removeFault(id)) throw new AppError('not_found', `There is no fault ${id}.`)
    },
    'GET /test/requests': store.requests,
    async 'POST /test/reset'(body) {
      await store.reset(body)
      return { url: url(), key: store.key }
    },
  }
  const methodsOf = (path: string) =>
    Object.keys(operations).flatMap((name) => (name.endsWith(` ${path}`) ? [name.slice(0, name.indexOf(' '))] : []))

  return async (request) => {
    const path = pathOf(request.url)
    const [, id] = /^\/test\/faults\/([1-9]\d{0,14})$/.exec(path) ?? []
    try {
      if (!isKey(request.headers.get('authorization'), store.key)) {
        throw new AppError(
          'invalid_api_key',
          'Send the key that was printed at the start: "Authorization: Bearer <KEY>".',
        )
      }
      const template = id === undefined ? path : '/test/faults/{id}'
      const operation = operations[`${request.method} ${template}`]
      if (operation === undefined) {
        const allow = methodsOf(template).join(', ')
        if (allow === '') throw new AppError('not_found', `There is nothing at ${path}.`)
        const message = `${request.method} is not allowed here; allowed are ${allow}.`
        return errorResponse(request, 'method_not_allowed', message, { allow })
      }
      const result = await operation(await bodyOf(request), Number(id))
      return result === undefined ? new Response(null, { status: 204, headers }) : Response.json(result, { headers })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return errorResponse(request, error.code, error.message, {})
    }
  }
}

function isKey(authorization: string | null, key: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  return given !== undefined && sha256(given).equals(sha256(key))
}

async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.text()
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('The body is not well-formed JSON.')
  }
}
