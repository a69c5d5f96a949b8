/** Hostnames in paths and options: accepted in any case and in Unicode, and used as A-labels. */

import { domainToASCII, domainToUnicode } from 'node:url'
import { type TSchema, Type } from '@sinclair/typebox'
import type { PathParameter } from '../../api/parameters.ts'

const aLabels = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/

/** The A-label form of a hostname (RFC 5890), in lower case and without the final dot; undefined if it has none. */
export function aLabelForm(text: string): string | undefined {
  const trimmed = text.trim().replace(/\.$/, '')
  // `domainToASCII` drops a path.
  if (trimmed === '' || trimmed.length > 1_000 || /[/?#@\\%:\s]|\p{Cc}/u.test(trimmed)) return undefined
  const ascii = domainToASCII(trimmed).toLowerCase()
  return ascii.length <= 253 && aLabels.test(ascii) ? ascii : undefined
}

/** A hostname for people. */
export function unicodeForm(hostname: string): string {
  return domainToUnicode(hostname) || hostname
}

/** The hostname of a domain in a path. One that is no hostname is not found. */
export function domainParameter(description: string): PathParameter<string> {
  const schema: TSchema = Type.String({
    minLength: 1,
    maxLength: 1_000,
    pattern: '^[^/]+$',
    description,
    examples: ['www.example.com'],
  })
  return {
    schema,
    pattern: '[^/]+',
    parse: (text) => aLabelForm(decoded(text)),
  }
}

/** The router decodes a path or not, depending on its characters. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
