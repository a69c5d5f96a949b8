/** The headers of responses, as references to `components.headers`. */

import { type DescribedHeader, describedHeaders } from './headers.ts'
import type { SharedParts } from './shared-parts.ts'

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
export function headerRefs(shared: SharedParts, names: readonly HeaderName[]) {
  return Object.fromEntries(
    [...general, ...names].map((component) => {
      const { name = component, ...header }: DescribedHeader = describedHeaders[component]
      return [name, shared.refer('headers', component, header)]
    }),
  )
}
