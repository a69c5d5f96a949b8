/**
 * The operator's endpoints: `GET /metrics`, for keys with the scope `admin`. They have no body, so the key can be read by
 * `@elysiajs/bearer`, whose hook runs after parsing.
 */

import { bearer } from '@elysiajs/bearer'
import { Elysia } from 'elysia'
import { type AdmissionOptions, admitTo, createAdmission } from '../../access/admission.ts'
import { AdmissionHeaders } from '../../api/http/admission-headers.ts'
import type { ResponseHead } from '../../api/http/conditions.ts'
import { createErrorHandler } from '../../api/http/errors.ts'
import { createUnrouted } from '../../api/http/routing/unrouted.ts'
import { assertScope } from '../../api/principal.ts'
import type { FaultMonitor } from '../../database/faults/monitor.ts'
import type { Log } from '../../lib/log.ts'
import { expositionType } from './exposition.ts'

/**
 * The plugin always looks for a token in a query parameter too. No parameter can have this name, because a decoded URL
 * contains no lone surrogates.
 */
const noParameter = '\ud800'

export interface OperatorParts extends Omit<AdmissionOptions, 'cors' | 'operationHeaders'> {
  readonly log: Log
  readonly faults: Pick<FaultMonitor, 'readFailed'>
}

/** The Elysia application that serves `/metrics` with the text that `collect` returns. */
export function createOperatorApi(app: OperatorParts, collect: () => string) {
  const operationHeaders = () => undefined
  const admit = createAdmission({ ...app, cors: undefined, operationHeaders })
  const writeError = createErrorHandler({
    log: app.log,
    storageError: app.faults.readFailed,
    unrouted: createUnrouted([]),
    operationHeaders,
  })

  /** The response body. Like any request to the API, a scrape counts towards the limits of its key or address. */
  function respond(token: string | undefined, request: Request, head: ResponseHead): string {
    head.headers['cache-control'] = 'no-store'
    const authorization = token === undefined ? null : `Bearer ${token}`
    const admitted = admitTo(head, admit, request, new AdmissionHeaders(), authorization)
    if ('body' in admitted) return admitted.body
    assertScope(admitted, ['admin'])
    const text = collect()
    head.headers['content-type'] = expositionType
    return text
  }

  return (
    new Elysia({ strictPath: true, normalize: false })
      .onError(({ error, code, set, request }) => {
        const body = writeError({ error, code, head: set, request })
        return body
      })
      // The plugin compares the scheme exactly, but its case must not matter (RFC 9110 section 11.1).
      .onTransform(({ headers }) => {
        headers['authorization'] = canonical(headers['authorization'])
      })
      .use(bearer({ extract: { header: 'Bearer', query: noParameter } }))
      .get('/metrics', ({ bearer: token, request, set }) => {
        const text = respond(token, request, set)
        return text
      })
  )
}

/** `Bearer <token>`; undefined for any other scheme. */
function canonical(authorization: string | undefined): string | undefined {
  const token = /^Bearer +([^ ]+) *$/i.exec(authorization ?? '')?.[1]
  return token === undefined ? undefined : `Bearer ${token}`
}
