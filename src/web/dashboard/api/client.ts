/**
 * The client of the API. Its types are generated from docs/openapi.json: a page that uses a missing part of the API does not
 * compile. Every error is thrown (`error.ts`).
 */

import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'
import { send } from './send.ts'

export const api = createClient<paths>({
  baseUrl: '/v1',
  fetch: send,
  // The browser would answer a 304 from its cache, but an ETag need not cover all of a record: that of a profile does not
  // cover the animal.
  cache: 'no-store',
  // Several values of a parameter are separated by commas.
  querySerializer: { array: { style: 'form', explode: false } },
})

/** The JSON forms of the API's records, by the names in its description. */
export type Schemas = components['schemas']

export interface Result<T> {
  readonly data?: T
  readonly response: Response
}

/** The body of a response: `await bodyOf(api.GET('/store/inventory'))`. */
export async function bodyOf<T>(result: Promise<Result<T>>): Promise<NonNullable<T>> {
  const { data } = await result
  return data as NonNullable<T>
}

/** A record with the ETag that a change of it sends as `If-Match`. */
export interface Tagged<T> {
  readonly record: T
  readonly etag: string | undefined
}

export async function taggedBodyOf<T>(result: Promise<Result<T>>): Promise<Tagged<NonNullable<T>>> {
  const { data, response } = await result
  return { record: data as NonNullable<T>, etag: response.headers.get('etag') ?? undefined }
}
