/** The finding about wildcards. */

import type { Finding, Verdict } from '../report.ts'
import { atProvider, type Context, cnameWords, findingFrom } from './context.ts'

/** A wrong answer that a random name has too is that of a wildcard record. */
export function wildcardFinding(context: Context, routing: Verdict): Finding[] {
  const { wildcard, addresses } = context.facts
  if (!wildcard || routing !== 'failed') return []
  const valuesOf = (answer: typeof wildcard) =>
    [answer.alias, ...answer.records]
      .flatMap((record) => record?.value ?? [])
      .sort()
      .join()
  const same = addresses.filter((answer) => answer.type === 'A' && valuesOf(answer) === valuesOf(wildcard))
  if (same.length === 0) return []
  const parent = context.hostname.slice(context.hostname.indexOf('.') + 1)
  return [
    findingFrom(context, same, {
      code: 'wildcard_matched',
      severity: 'warning',
      type: wildcard.alias ? 'CNAME' : 'A',
      message: `The answer for ${context.hostname} comes from the wildcard record *.${parent}: the name has no record of its own.`,
      fix: `${atProvider(context)} create ${context.targets.length > 0 ? cnameWords(context) : 'a record for this name'}. It takes precedence over the wildcard, which may stay.`,
    }),
  ]
}
