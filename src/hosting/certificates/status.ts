/** The state of a certificate as its owner sees it: a status, and findings in the form of the DNS checker's. */

import type { Finding, FindingCode, Severity } from '../../dns/report.ts'
import type { Clock } from '../../lib/clock.ts'
import { noCertificate } from '../domains/state.ts'
import type { CertificateStatus } from '../projects/view.ts'
import { hostOf } from './acme/transport.ts'
import { explainedAfterMs, hasCome, limitFor, rateLimitedUntil } from './rules.ts'
import type { CertificateRow, CertificateStore, LimitRow, OrderRow } from './store.ts'

interface StatusParts {
  readonly store: CertificateStore
  readonly acmeDirectory: string
  readonly clock: Pick<Clock, 'now'>
}

/** `waitingBefore`: how many names wait for an order before this one. */
export function createStatusReader(
  { store, acmeDirectory, clock }: StatusParts,
  waitingBefore: (hostname: string) => number,
) {
  /** `accountId`: the account that has the name now. A certificate of a former one counts for nothing. */
  return (hostname: string, accountId?: number): CertificateStatus => {
    const row = rowOf(store, hostname, accountId)
    return statusOf({
      row,
      order: row && store.openOrder(hostname),
      limit: row && limitFor(store.limits(acmeDirectory), hostname),
      nowMs: clock.now(),
      waitingBefore: row?.file === null ? waitingBefore(hostname) : 0,
    })
  }
}

function rowOf(store: CertificateStore, hostname: string, accountId: number | undefined) {
  const row = store.find(hostname)
  return accountId === undefined || row?.accountId === accountId ? row : undefined
}

/** `clockWrongByMs`: by how much this machine's clock is ahead of the authority's, as far as that was measured. */
export function createFindingsReader(
  { store, acmeDirectory, clock }: StatusParts,
  clockWrongByMs: () => number | undefined,
) {
  /** The findings about a name's certificate; empty for a name that is not wanted. */
  return (hostname: string, accountId?: number): Finding[] => {
    const row = rowOf(store, hostname, accountId)
    if (!row || row.removedAt !== null) return []
    return certificateFindings({
      row,
      limit: limitFor(store.limits(acmeDirectory), hostname),
      nowMs: clock.now(),
      clockWrongByMs: clockWrongByMs(),
      authority: hostOf(acmeDirectory),
    })
  }
}

interface StatusFacts {
  readonly row: CertificateRow | undefined
  readonly order: OrderRow | undefined
  /** The limit that covers the name. */
  readonly limit: LimitRow | undefined
  readonly nowMs: number
  /** How many names wait for an order before this one. */
  readonly waitingBefore: number
}

export function statusOf(facts: StatusFacts): CertificateStatus {
  const { row, order, nowMs } = facts
  if (!row || row.removedAt !== null) return noCertificate
  const hasCertificate = row.file !== null && row.notAfter !== null
  const isExpired = hasCertificate && row.notAfter !== null && row.notAfter <= nowMs
  const limitedUntil = rateLimitedUntil(facts)
  const waitsUntil = row.nextAttemptAt !== null && !hasCome(row.nextAttemptAt, nowMs) ? row.nextAttemptAt : null
  const isWaiting = waitsUntil !== null || limitedUntil !== null
  return {
    status: isExpired ? 'expired' : phaseOf(row, order, hasCertificate),
    expiresAt: hasCertificate ? row.notAfter : null,
    nextAttemptAt: isWaiting ? Math.max(waitsUntil ?? 0, limitedUntil ?? 0) : null,
    rateLimitedUntil: limitedUntil,
    error: errorOf(facts, hasCertificate && !isExpired),
  }
}

function phaseOf({ failures }: CertificateRow, order: OrderRow | undefined, hasCertificate: boolean) {
  if (failures > 0) return 'failed'
  if (hasCertificate) return order ? 'renewing' : 'active'
  return order ? 'issuing' : 'queued'
}

function errorOf({ row, order, limit, nowMs, waitingBefore }: StatusFacts, isValid: boolean): string | null {
  if (!row) return null
  if (row.problem) return sentences(row.problem.message, row.problem.fix)
  if (limit && rateLimitedUntil({ row, limit, nowMs }) !== null) {
    return sentences(
      `The certificate authority has set a limit: ${limit.message}`,
      'The order follows when the limit ends; there is nothing to do.',
    )
  }
  if (isValid || nowMs - row.wantedAt < explainedAfterMs) return null
  const minutes = Math.round((nowMs - row.wantedAt) / 60_000)
  const begun = `There is no certificate after ${minutes} minutes:`
  const advice =
    'Check that the domain still verifies and that no CAA record forbids the certificate authority, then verify it again.'
  if (order) return `${begun} the certificate authority has not finished the order yet. ${advice}`
  return waitingBefore > 0
    ? `${begun} ${waitingBefore} other names are waiting for an order before it. There is nothing to do.`
    : `${begun} the order has not begun. ${advice}`
}

interface FindingFacts {
  readonly row: CertificateRow
  /** The limit that covers the name. */
  readonly limit: LimitRow | undefined
  readonly nowMs: number
  /** By how much this machine's clock is ahead of the authority's; undefined if it is not wrong. */
  readonly clockWrongByMs: number | undefined
  /** The authority, as in `acme-v02.api.letsencrypt.org`. */
  readonly authority: string
}

function certificateFindings(facts: FindingFacts): Finding[] {
  return [rateLimited(facts), rejected(facts), unavailable(facts), expiring(facts), clockWrong(facts)].filter(
    (one): one is Finding => one !== undefined,
  )
}

interface Words {
  readonly message: string
  readonly fix: string
  readonly expiresAtMs?: number
}

function finding(code: FindingCode, severity: Severity, name: string, { message, fix, expiresAtMs }: Words): Finding {
  const expiresAt = expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString()
  return { code, severity, name, type: null, expected: [], observed: [], message, fix, expiresAt }
}

function rateLimited({ row, limit, nowMs, authority }: FindingFacts): Finding | undefined {
  const untilMs = rateLimitedUntil({ row, limit, nowMs })
  if (untilMs === null) return undefined
  const words = (limit ?? row.problem)?.message ?? ''
  return finding('acme_rate_limited', isValid(row, nowMs) ? 'warning' : 'error', row.hostname, {
    message: `The certificate authority ${authority} accepts no order for ${row.hostname} until ${timeOf(untilMs)}. It says: ${sentences(words)}`,
    fix: 'Wait: the service orders the certificate when the limit ends. Do not remove the domain and add it again, since every new order counts.',
    expiresAtMs: untilMs,
  })
}

function rejected({ row, nowMs, authority }: FindingFacts): Finding | undefined {
  const { problem, hostname } = row
  if (problem === null || problem.type === 'rateLimited') return undefined
  if (problem.source !== 'ca' && problem.source !== 'account') return undefined
  const next = row.nextAttemptAt === null ? '' : ` The service tries again at ${timeOf(row.nextAttemptAt)}.`
  return finding('ca_refused', isValid(row, nowMs) ? 'warning' : 'error', hostname, {
    message: `The certificate authority ${authority} rejected ${problem.source === 'ca' ? 'the order' : 'the account of this service, and so the order'} for ${hostname}. It says: ${sentences(problem.message)}`,
    fix: `${problem.fix ?? adviceFor(problem.type, hostname)}${next}`,
    ...(row.nextAttemptAt === null ? {} : { expiresAtMs: row.nextAttemptAt }),
  })
}

/** An authority that can't be reached: after half an hour without a certificate the owner has to know why. */
function unavailable({ row, nowMs }: FindingFacts): Finding | undefined {
  const { problem, hostname, file, wantedAt, nextAttemptAt } = row
  const waitedMs = nowMs - wantedAt
  if (problem?.source !== 'unavailable' || file !== null || waitedMs < explainedAfterMs) return undefined
  const next =
    nextAttemptAt === null || nextAttemptAt <= nowMs ? '' : ` The next attempt is at ${timeOf(nextAttemptAt)}.`
  return finding('ca_refused', 'error', hostname, {
    message: `There is no certificate for ${hostname} after ${durationOf(waitedMs)}, because the certificate authority does not work. ${problem.message}`,
    fix: `You do not have to change anything. ${problem.fix ?? ''}${next}`,
  })
}

function durationOf(ms: number): string {
  const hours = Math.floor(ms / 3_600_000)
  return hours < 2
    ? `${Math.round(ms / 60_000)} minutes`
    : hours < 48
      ? `${hours} hours`
      : `${Math.floor(hours / 24)} days`
}

/** The advice for an error of the authority, by its type (RFC 8555, section 6.7). */
export function adviceFor(type: string, hostname: string): string {
  switch (type) {
    case 'rateLimited':
      return 'There is nothing to do: the order follows when the limit ends.'
    case 'connection':
    case 'tls':
      return `Make sure that http://${hostname} reaches this service from the internet: open port 80 in the firewall and forward it in the router, for IPv4 and, if the domain has an AAAA record, for IPv6.`
    case 'unauthorized':
    case 'incorrectResponse':
      return `Another web server responded for ${hostname}. Point the domain's records at this service only (A and AAAA), turn a proxy off, and forward port 80 to this service.`
    case 'dns':
      return `Check the domain with "petstore domains check ${hostname}" and correct what it finds: the authority could not look the name up.`
    case 'caa':
      return 'Add a CAA record at your DNS provider that allows this certificate authority, or remove the CAA records.'
    case 'rejectedIdentifier':
    case 'unsupportedIdentifier':
      return 'This authority issues no certificate for this name. Use another name, or ask the authority; the operator can choose another authority with --acme-directory.'
    case 'userActionRequired':
      return 'The operator of this service has to do what the authority says, for example accept its new terms of service.'
    default:
      return 'Correct what the authority says, then verify the domain again.'
  }
}

/** The advice for an error of the authority about the account, which the owner of a domain can't correct. */
export function accountAdviceFor(type: string, hostname: string): string {
  switch (type) {
    case 'userActionRequired':
      return adviceFor(type, hostname)
    case 'externalAccountRequired':
      return 'The operator of this service has to set --acme-eab-kid and --acme-eab-key to the values of the authority.'
    case 'invalidContact':
    case 'unsupportedContact':
      return 'The operator of this service has to correct --acme-email.'
    default:
      return 'Nothing is wrong with the domain. The operator of this service has to correct what the authority says: --acme-eab-kid and --acme-eab-key if it gave such values, --acme-directory, or the account itself. Orders are tried again soon after the next start.'
  }
}

function expiring({ row, nowMs }: FindingFacts): Finding | undefined {
  const { notBefore, notAfter, problem, hostname } = row
  if (notBefore === null || notAfter === null || row.file === null) return undefined
  const leftMs = notAfter - nowMs
  const lifetimeMs = notAfter - notBefore
  const isExpired = leftMs <= 0
  // A renewal begins when a third is left. Before a quarter is left nobody has to act.
  if (!isExpired && leftMs > lifetimeMs / 4) return undefined
  const severity = leftMs < lifetimeMs / 10 ? 'error' : 'warning'
  const why = problem ? ` The last attempt to renew it failed: ${problem.message}` : ''
  return finding('certificate_expiring', severity, hostname, {
    message: `The certificate of ${hostname} ${isExpired ? 'expired' : 'expires'} at ${timeOf(notAfter)} and has not been renewed.${why}`,
    fix: problem?.fix ?? 'Verify the domain again and correct what is found: the renewal is then tried at once.',
    expiresAtMs: notAfter,
  })
}

function clockWrong({ row, clockWrongByMs, authority }: FindingFacts): Finding | undefined {
  if (clockWrongByMs === undefined) return undefined
  const hours = Math.round(Math.abs(clockWrongByMs) / 3_600_000)
  return finding('clock_wrong', 'error', row.hostname, {
    message: `The clock of this machine is ${hours} ${hours === 1 ? 'hour' : 'hours'} ${clockWrongByMs > 0 ? 'ahead of' : 'behind'} that of ${authority}, so that valid certificates look ${clockWrongByMs > 0 ? 'expired' : 'not valid yet'}.`,
    fix: 'The operator of this service has to set the clock of the machine, and should let it be set from the network (timedatectl set-ntp true).',
  })
}

const isValid = ({ file, notAfter }: CertificateRow, nowMs: number) =>
  file !== null && notAfter !== null && notAfter > nowMs

const timeOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The words of an authority often end without a full stop. */
function sentences(message: string, fix = ''): string {
  return `${message.replace(/[^.!?]$/, '$&.')} ${fix}`.trimEnd()
}
