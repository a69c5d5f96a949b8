/** The guide in the OpenAPI document. Its numbers and error codes are inserted from the code. */

import { allowanceOf } from '../../access/accounts/rules.ts'
import { keptMs as eventsKeptMs } from '../../access/events/log.ts'
import { addressLimit } from '../../access/limits/addresses.ts'
import { firstBanMs, longestBanMs, rejectionSpanMs, rejectionsToBan, uncountedMs } from '../../access/limits/bans.ts'
import { errorCodes } from '../../api/errors.ts'
import { defaultLimit, maximumLimit } from '../../api/page.ts'
import { maximumProjects } from '../../hosting/projects/rules.ts'
import { attemptMs } from '../../operate/webhooks/send.ts'
import { statusMeanings } from './error-responses.ts'
import guide from './guide.md' with { type: 'text' }

const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/**
 * Returns Markdown (CommonMark with tables). `server` is the base address of the API in its examples. Throws if the
 * text contains the name of an unknown fact.
 */
export function guideText(server: string): string {
  const facts: Readonly<Record<string, string | number>> = {
    server,
    errors: errorTable(),
    plans: planTable(),
    addressLimit,
    defaultLimit,
    maximumLimit,
    maximumProjects,
    uncountedSeconds: uncountedMs / secondMs,
    rejectionsToBan,
    rejectionMinutes: rejectionSpanMs / minuteMs,
    firstBanMinutes: firstBanMs / minuteMs,
    longestBanHours: longestBanMs / hourMs,
    eventDays: eventsKeptMs / dayMs,
    webhookSeconds: attemptMs / secondMs,
  }
  return guide.trim().replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const fact = facts[name]
    if (fact === undefined) throw new Error(`The guide names ${name}, which is not known.`)
    return String(fact)
  })
}

function errorTable(): string {
  const codesByStatus = Map.groupBy(Object.entries(errorCodes), ([, { status }]) => status)
  const rows = [...codesByStatus].map(([status, entries]) => [
    status,
    entries.map(([code]) => `\`${code}\``).join(' '),
    statusMeanings[status] ?? '',
  ])
  return table(['Status', 'Codes', 'Meaning'], rows)
}

function planTable(): string {
  const rows = (['free', 'pro', 'business'] as const).map((plan) => {
    const { perMinute, perDay } = allowanceOf(plan, {})
    return [capitalized(plan), perMinute.toLocaleString('en'), perDay.toLocaleString('en')]
  })
  return table(['Plan', 'Requests per minute', 'Requests per day'], [...rows, ['Enterprise', 'Custom', 'Custom']])
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
