/**
 * Checks one name. The command, the API and the dashboard import only this module of the directory. Loading it takes 10 to
 * 15 ms because of the Public Suffix List: import it at the first check.
 */

import { systemClock } from '../lib/clock.ts'
import { collect } from './collect.ts'
import { judge } from './judge.ts'
import { createSession } from './lookup/session.ts'
import { checkName, isFault, type NameFault } from './name.ts'
import type { Report } from './report.ts'
import type { CheckOptions, CheckRequest } from './request.ts'
import { normalName } from './target.ts'

/**
 * Only reads; never rejects because of the behaviour of a server. Keeps the limits of time and queries (15 s and 100 by
 * default), and ends when `signal` is aborted. A verdict that needs further queries is then `unknown`.
 */
export async function checkDomain(request: CheckRequest, options: CheckOptions): Promise<Report> {
  const clock = options.clock ?? systemClock
  const startMs = clock.monotonic()
  const checkedAt = new Date(clock.now()).toISOString()
  const name = checkName(request.hostname, (request.platformDomains ?? []).map(normalName))
  if (isFault(name))
    return { ...nameReport(request.hostname, name), checkedAt, elapsedMs: 0, queries: 0, complete: true }
  const session = createSession(options)
  try {
    const facts = await collect(session, request, name)
    const nowMs = clock.now()
    const judgement = judge(request, name, facts, {
      nowMs,
      allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    })
    return {
      ...judgement,
      checkedAt,
      elapsedMs: Math.round(clock.monotonic() - startMs),
      queries: session.budget.spent,
      complete: !session.budget.isExhausted,
    }
  } finally {
    session.close()
  }
}

function nameReport(hostname: string, { code, message, fix }: NameFault) {
  const about = { code, severity: 'error', name: hostname, type: null, expected: [], observed: [] } as const
  return {
    hostname,
    unicodeHostname: hostname,
    zone: null,
    isApex: null,
    nameservers: [],
    routing: 'failed',
    routedBy: null,
    ownership: 'not_checked',
    caa: 'not_checked',
    findings: [{ ...about, message, fix, expiresAt: null }],
    lookups: [],
  } as const
}
