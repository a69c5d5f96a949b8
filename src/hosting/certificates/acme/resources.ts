/** The JSON of ACME (RFC 8555, section 7.1), as far as it is used; members that are unknown are ignored. */

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { AcmeUnavailable } from './problem.ts'

const url = Type.String({ maxLength: 2_000 })
const text = Type.String({ maxLength: 2_000 })

export const Directory = Type.Object({
  newNonce: url,
  newAccount: url,
  newOrder: url,
  /** RFC 9773. */
  renewalInfo: Type.Optional(url),
  meta: Type.Optional(
    Type.Object({
      termsOfService: Type.Optional(url),
      caaIdentities: Type.Optional(Type.Array(text, { maxItems: 20 })),
      externalAccountRequired: Type.Optional(Type.Boolean()),
    }),
  ),
})
export type Directory = Static<typeof Directory>

export const Account = Type.Object({ status: text, orders: Type.Optional(url) })

export const OrderList = Type.Object({ orders: Type.Array(url, { maxItems: 1_000 }) })

const Identifier = Type.Object({ type: text, value: text })

export const Order = Type.Object({
  status: text,
  identifiers: Type.Array(Identifier, { maxItems: 100 }),
  authorizations: Type.Array(url, { maxItems: 100 }),
  finalize: url,
  certificate: Type.Optional(url),
  error: Type.Optional(Type.Unknown()),
})
export type Order = Static<typeof Order>

export const Authorization = Type.Object({
  status: text,
  identifier: Identifier,
  challenges: Type.Array(
    Type.Object({
      type: text,
      url,
      status: text,
      token: Type.Optional(text),
      error: Type.Optional(Type.Unknown()),
    }),
    { maxItems: 20 },
  ),
})
export type Authorization = Static<typeof Authorization>
export type Challenge = Authorization['challenges'][number]

export const RenewalInfo = Type.Object({
  suggestedWindow: Type.Object({ start: text, end: text }),
  explanationURL: Type.Optional(url),
})

/** Parses a reply. Throws `AcmeUnavailable` unless it has the members of `schema`. */
export function parseReply<S extends TSchema>(schema: S, body: string, what: string): Static<S> {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch (cause) {
    throw new AcmeUnavailable(`The certificate authority sent ${what} that is not JSON.`, { cause })
  }
  const check = checkOf(schema)
  if (check.Check(json)) return json
  const error = check.Errors(json).First()
  throw new AcmeUnavailable(
    `The certificate authority sent ${what} that is not valid: ${error?.path || 'the document'}: ${error?.message ?? ''}.`,
  )
}

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>()

function checkOf<S extends TSchema>(schema: S): TypeCheck<S> {
  const known = checks.get(schema)
  if (known) return known as TypeCheck<S>
  const check = TypeCompiler.Compile(schema)
  checks.set(schema, check)
  return check
}
