/** `components.headers`, and the references to it in responses. */

import { type DescribedHeader, describedHeaders } from './headers.ts'

/** Names of `components.headers`. */
export type HeaderName = keyof typeof describedHeaders

/** On every response, errors included. */
const general: readonly HeaderName[] = [
  'XRequestId',
  'XRateLimitLimit',
  'XRateLimitRemaining',
  'XRateLimitReset',
  'RateLimitPolicy',
  'RateLimit',
]

/** The `headers` of a response: `names` and those that every response has. */
export function headerRefs(names: readonly HeaderName[]) {
  return Object.fromEntries(
    [...general, ...names].map((name) => {
      const header: DescribedHeader = describedHeaders[name]
      return [header.name ?? name, { $ref: `#/components/headers/${name}` }]
    }),
  )
}

/** `components.headers`. */
export function headerComponents() {
  return Object.fromEntries(
    Object.entries(describedHeaders).map(([component, { name: _, ...header }]: [string, DescribedHeader]) => [
      component,
      header,
    ]),
  )
}
