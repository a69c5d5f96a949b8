/** Findings for the case that the servers of a zone that was found have no usable answer. */

import { isUsable, type ServerAnswer } from '../lookup/answer.ts'
import { reasonOf, type ZoneFault } from '../lookup/zone.ts'
import type { Finding } from '../report.ts'
import { type Context, findingFrom } from './context.ts'
import { limitWords, zoneFault } from './delegation.ts'

/** The finding for the case that no server has usable answers for every type. */
export function noAnswer(context: Context, answers: readonly ServerAnswer[], zone = context.zone): Finding {
  const byType = [...Map.groupBy(answers, ({ type }) => type).values()]
  const unanswered = byType.filter((ofType) => !ofType.some(isUsable)).flat()
  const missing = unanswered.length > 0 ? unanswered : answers
  const [first] = missing
  const fault: ZoneFault = {
    at: zone,
    nameservers: {
      names: [...new Set(missing.map(({ server }) => server.name))],
      servers: missing.map(({ server }) => server),
      unresolved: [],
      failures: [],
    },
    answers: missing,
    reason: reasonOf(missing),
  }
  const isForOneType = missing.length < answers.length && /^(no_reply|refused)$/.test(fault.reason)
  return {
    ...zoneFault(context, fault),
    name: first?.name ?? context.hostname,
    type: first?.type ?? null,
    expected: [],
    ...(isForOneType && first ? wordsForType(zone, first) : {}),
  }
}

/** Words for the case that the servers of the zone reply, but not about this type of records. */
function wordsForType(zone: string, { name, type }: ServerAnswer): Pick<Finding, 'code' | 'message' | 'fix'> {
  return {
    code: 'dns_timeout',
    message: `The name servers of ${zone} gave an answer for other records of ${name}, but none for its ${type} records.`,
    fix: `Try again in a few minutes. If it stays so, tell the DNS provider of ${zone} that its servers must answer queries for ${type} records, with an empty answer if the name has none.`,
  }
}

/** All servers that replied are right, but the limits of the check were reached before the others: this is no proof. */
export function leftOut(context: Context, answers: readonly ServerAnswer[]): Finding {
  return findingFrom(context, answers, limitWords(context.zone), [])
}
