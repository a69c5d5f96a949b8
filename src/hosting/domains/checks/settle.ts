/** Stores the result of a check. To be called in a transaction. */

import type { AuditStore } from '../../../access/audit/store.ts'
import type { Diagnosis, Finding } from '../../../dns/report.ts'
import type { ProjectStore } from '../../projects/store.ts'
import type { DomainEventType, DomainHistory } from '../history.ts'
import type { Claim, DomainChanges, DomainStore, DomainSummary } from '../store.ts'
import { type Examination, relevantFindings, type Verdict, verdictOf } from './examine.ts'
import {
  driftMs,
  nextWhileDrifted,
  nextWhileUnknown,
  nextWhileVerified,
  nextWhileWaiting,
  waitedAfter,
  waitingMs,
} from './schedule.ts'

export interface SettleStores {
  readonly domains: DomainStore
  readonly domainHistory: DomainHistory
  readonly projects: Pick<ProjectStore, 'find'>
  readonly audit: Pick<AuditStore, 'add'>
}

/** An event of a check, with its sentence. */
type Event = readonly [DomainEventType, string]

/** The columns that each check stores. */
type Checked = Pick<DomainChanges, 'checkedAt' | 'findings' | 'zone'>

interface Settlement {
  readonly changes: DomainChanges
  readonly event?: Event | undefined
}

/**
 * `taken`: the claim is proven, but another one holds the name, and its records are right or could not be checked.
 * `gone`: the domain was removed while it was checked.
 */
export type Outcome = Verdict['kind'] | 'taken' | 'gone'

/** The holder of a name that a proven claim wants, and the result of its own check. */
export interface ExaminedHolder {
  readonly id: number
  readonly examination: Examination | undefined
}

/**
 * Stores the result of a check of the domain `id`. A proven claim takes the name, unless another claim holds it: then
 * only if the check of that holder, which was just made, has failed. `isRequested`: a claim that is not proven is
 * checked for another 48 hours.
 */
export function settle(
  stores: SettleStores,
  id: number,
  { report }: Examination,
  examinedHolder: ExaminedHolder | undefined,
  nowMs: number,
  isRequested = false,
): Outcome {
  // Since the check began, another account may have held the name.
  const row = stores.domains.findClaim(id)
  if (!row) return 'gone'
  const { wasHeldByAnother } = row
  const verdict = verdictOf(report, wasHeldByAnother)
  const checked = {
    checkedAt: nowMs,
    findings: relevantFindings(report, wasHeldByAnother),
    ...(report.zone === null ? {} : { zone: report.zone }),
  }
  if (row.holdsName) {
    apply(stores, row, checked, holderSettlement(row, verdict, nowMs), nowMs)
    return verdict.kind
  }
  const isFree = verdict.kind === 'proven' && freeName(stores, row, examinedHolder, nowMs)
  const isTaken = verdict.kind === 'proven' && !isFree
  const waitedMs = isRequested ? 0 : waitedAfter(row.waitedMs, row.checkedAt ?? row.createdAt, nowMs)
  const settlement = isFree ? provenSettlement(row, report, nowMs) : claimSettlement(row, verdict, waitedMs, nowMs)
  const findings = isTaken ? [nameTaken(row.hostname), ...checked.findings] : checked.findings
  const taken: Settlement = { ...settlement, event: ['name_taken', takenWords] }
  apply(stores, row, { ...checked, findings }, isTaken ? taken : settlement, nowMs)
  if (isFree) {
    stores.domains.hold(row.hostname, row.accountId, nowMs)
    recordInAudit(stores, row, 'domain.verified', nowMs)
  }
  return isTaken ? 'taken' : verdict.kind
}

const takenWords =
  'The records are right, but another project uses the name, and its records are right too or could not be checked.'

/** The finding about a claim that is proven, while another one keeps the name. It does not say which. */
function nameTaken(hostname: string): Finding {
  return {
    code: 'name_taken',
    severity: 'error',
    name: hostname,
    type: null,
    expected: [],
    observed: [],
    message: takenWords,
    fix: `If the other project is yours, remove ${hostname} there. If not, keep only the records that are shown here: delete other A, AAAA and CNAME records of this name, and other TXT records with the name "_petstore-verify" in front of it. Then verify again.`,
    expiresAt: null,
  }
}

function apply(
  stores: SettleStores,
  row: Claim,
  checked: Checked,
  { changes, event }: Settlement,
  nowMs: number,
): void {
  stores.domains.update(row, changedOnly(row, { ...checked, ...changes }))
  // An event that repeats itself at every check says nothing new.
  const isRepeated = event?.[0] === 'name_taken' && row.dnsStatus === 'failed'
  if (event && !isRepeated) addToHistory(stores, row, event, nowMs)
}

/** A write of the columns of the routing announces that it has changed, also to the same values. */
function changedOnly(row: DomainSummary, changes: DomainChanges): DomainChanges {
  return Object.fromEntries(
    Object.entries(changes).filter(([column, value]) => row[column as keyof DomainSummary] !== value),
  )
}

function addToHistory(
  { domainHistory }: SettleStores,
  { projectId, hostname }: DomainSummary,
  event: Event,
  nowMs: number,
): void {
  domainHistory.add({ projectId, hostname, at: nowMs, type: event[0], message: event[1] })
}

/** Whether no other claim holds the name; takes it from a holder whose check has just failed. */
function freeName(
  stores: SettleStores,
  row: DomainSummary,
  examined: ExaminedHolder | undefined,
  nowMs: number,
): boolean {
  const holder = stores.domains.holderOf(row.hostname)
  if (!holder) return true
  const hasFailed = holder.id === examined?.id && examined.examination?.verdict.kind === 'failed'
  if (!hasFailed) return false
  stores.domains.update(holder, {
    holdsName: false,
    dnsStatus: 'failed',
    failure: 'wrong',
    verifiedAt: null,
    driftedAt: null,
    isDegraded: false,
    waitedMs: 0,
    checkedAt: nowMs,
    nextCheckAt: nextWhileWaiting(0, nowMs),
    findings: examined.examination ? relevantFindings(examined.examination.report, true) : [],
  })
  addToHistory(stores, holder, lostEvent, nowMs)
  recordInAudit(stores, holder, 'domain.lost', nowMs)
  return true
}

/** Who serves a name is in the audit log; the other results of checks are in the history of the domain alone. */
function recordInAudit(
  { audit, projects }: SettleStores,
  { projectId, hostname }: DomainSummary,
  action: string,
  nowMs: number,
) {
  const accountId = projects.find(projectId)?.accountId ?? 0
  audit.add({ actor: 'system', nowMs }, { action, accountId, details: { projectId, hostname } })
}

const lostEvent: Event = [
  'name_lost',
  'The records no longer lead to this project, and another project has proven that the name is its own.',
]

function provenSettlement({ hostname }: DomainSummary, { routedBy }: Diagnosis, nowMs: number): Settlement {
  const proof = routedBy === 'cname' ? 'its CNAME record' : 'its addresses and its TXT record'
  return {
    changes: {
      holdsName: true,
      dnsStatus: 'verified',
      failure: null,
      verifiedAt: nowMs,
      driftedAt: null,
      isDegraded: false,
      nextCheckAt: nextWhileVerified(nowMs),
    },
    event: ['verified', `${hostname} leads here: ${proof} proved it.`],
  }
}

/** A claim that is not proven, or that must not have the name, after `waitedMs` of checks. */
function claimSettlement(row: DomainSummary, verdict: Verdict, waitedMs: number, nowMs: number): Settlement {
  const nextCheckAt = nextWhileWaiting(waitedMs, nowMs)
  const hasEnded = nextCheckAt === null
  const failure = verdict.kind === 'failed' ? verdict.failure : verdict.kind === 'proven' ? 'wrong' : row.failure
  const dnsStatus = verdict.kind !== 'unknown' || hasEnded ? 'failed' : row.dnsStatus
  const isNew = dnsStatus === 'failed' && (row.dnsStatus !== 'failed' || row.failure !== failure)
  const hours = waitingMs / 3_600_000
  const ended: Event = [
    'checks_ended',
    `The records were not right within ${hours} hours. The checks have ended until somebody verifies the domain.`,
  ]
  const failed: Event = ['failed', failure === null ? 'The records are wrong.' : failureWords[failure]]
  return {
    changes: { waitedMs, nextCheckAt, dnsStatus, failure },
    event: hasEnded ? ended : isNew ? failed : undefined,
  }
}

const failureWords = {
  missing: 'The record does not exist yet.',
  ownership: 'The name leads here, but the TXT record that proves the ownership is missing or wrong.',
  wrong: 'A record is wrong.',
} as const

/** A domain that holds its name: it keeps it until another claim is proven, however wrong its records are. */
function holderSettlement(row: DomainSummary, verdict: Verdict, nowMs: number): Settlement {
  if (verdict.kind === 'unknown') return { changes: { nextCheckAt: nextWhileUnknown(nowMs) } }
  if (verdict.kind === 'proven') {
    const changes = { dnsStatus: 'verified', failure: null, driftedAt: null, isDegraded: false } as const
    const event: Event | undefined =
      row.dnsStatus === 'drifted' ? ['recovered', `The records of ${row.hostname} are right again.`] : undefined
    return { changes: { ...changes, nextCheckAt: nextWhileVerified(nowMs) }, event }
  }
  // The clock may have been set back since the first of these checks.
  const driftedAt = Math.min(row.driftedAt ?? nowMs, nowMs)
  const isDegraded = row.isDegraded || nowMs - driftedAt >= driftMs
  const { failure } = verdict
  const changes = { dnsStatus: 'drifted', failure, driftedAt, isDegraded } as const
  return {
    changes: { ...changes, nextCheckAt: nextWhileDrifted(driftedAt, nowMs) },
    event: driftEvent(row, isDegraded),
  }
}

function driftEvent(row: DomainSummary, isDegraded: boolean): Event | undefined {
  if (row.dnsStatus !== 'drifted') {
    return [
      'drifted',
      `The records of ${row.hostname} are no longer right. It is still served, and checked again in an hour.`,
    ]
  }
  if (!isDegraded || row.isDegraded) return undefined
  return [
    'degraded',
    `The records of ${row.hostname} were wrong in two checks an hour apart. It is still served, but nothing is redirected to it.`,
  ]
}
