/**
 * The operator's endpoints: `GET /metrics`, for keys with the scope `metrics:read`. They have no body, so the key can
 * be read by `@elysiajs/bearer`, whose hook runs after parsing.
 */

import { bearer } from '@elysiajs/bearer'
import { Elysia } from 'elysia'
import { type AdmissionOptions, createAdmission } from '../../access/admission.ts'
import { createErrorHandler } from '../../api/errors.ts'
import { Admitted, assertScope } from '../../api/principal.ts'
import { createUnrouted } from '../../api/unrouted.ts'
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
export function createOperatorApi(parts: OperatorParts, collect: () => string) {
  const operationHeaders = () => undefined
  const admit = createAdmission({ ...parts, cors: undefined, operationHeaders })
  const onError = createErrorHandler({
    log: parts.log,
    storageError: parts.faults.readFailed,
    unrouted: createUnrouted([]),
    operationHeaders,
  })

  /** Like any request to the API, a scrape counts towards the limits of its key or address. */
  function respond(token: string | undefined, request: Request, admitted: Admitted): Response {
    const rejection = admit(request, admitted, token === undefined ? null : `Bearer ${token}`)
    if (rejection) return rejection
    assertScope(admitted.principal, ['metrics:read'])
    return new Response(collect(), {
      headers: { ...admitted.headers, 'cache-control': 'no-store', 'content-type': expositionType },
    })
  }

  return (
    new Elysia({ strictPath: true, normalize: false })
      .derive(() => ({ admitted: new Admitted() }))
      .onError(({ error, code, request, admitted = new Admitted() }) => onError({ error, code, request, admitted }))
      // The plugin compares the scheme exactly, but its case must not matter (RFC 9110 section 11.1).
      .onTransform(({ headers }) => {
        headers['authorization'] = canonical(headers['authorization'])
      })
      .use(bearer({ extract: { header: 'Bearer', query: noParameter } }))
      .get('/metrics', ({ bearer: token, request, admitted }) => respond(token, request, admitted))
  )
}

/** `Bearer <token>`; undefined for any other scheme. */
function canonical(authorization: string | undefined): string | undefined {
  const token = /^Bearer +([^ ]+) *$/i.exec(authorization ?? '')?.[1]
  return token === undefined ? undefined : `Bearer ${token}`
}
