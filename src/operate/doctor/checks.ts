/** Composes the lines of `petstore doctor`, for a running server and for a store without one. Changes nothing. */

import type { AttentionItem } from '../../api/attention.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { CheckOptions } from '../../dns/request.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError, messageOf } from '../../lib/error.ts'
import { SubprocessEnded } from '../../lib/subprocess.ts'
import { isSystemError } from '../../lib/system-error.ts'
import type { BackupCopies } from '../backups/away/create.ts'
import { madeBackups, type StorePlace } from '../backups/folder.ts'
import { hasCome } from '../backups/rules.ts'
import { bad, type Check, good, notExamined, notKnown } from './check.ts'
import { descriptorsCheck, directoryCheck, portsCheck, type ServicePort, spaceCheck } from './machine.ts'
import { attentionText } from './words.ts'

export interface DoctorParts extends StorePlace {
  /** The id of the store. Throws if the database cannot be read. */
  readonly storeId: () => string
  readonly clock: Pick<Clock, 'now'>
  /** Whether this is the process of the server. */
  readonly isRunning: boolean
  /** Whether root asks without a server: the owner of the data directory has to be able to use it. */
  readonly isForOwner: boolean
  /** The ports on which the server listens, or a start would. */
  readonly ports: readonly ServicePort[]
  /** The lines about the database and its files. */
  readonly examine: () => Promise<readonly Check[]>
  /** What needs attention. Throws if the database cannot be read. */
  readonly attention: (nowMs: number) => readonly AttentionItem[]
  /** When the next backup is made, RFC 3339; null if none is, or if it is not known. */
  readonly nextBackup: () => string | null
  /** The bucket to which backups are copied, and the last result; undefined if that is not known. */
  readonly copies: BackupCopies['view']
  /** The mail server; null if mail is off, or without a server if the settings name none. Throws like `attention`. */
  readonly smtp: () => string | null
  /** Undefined if hosting is off. */
  readonly hosting: Pick<HostingConfig, 'platformDomain' | 'sitesDomain' | 'isLocal'> | undefined
  /** Throws like `attention`. */
  readonly domainCounts: () => readonly { readonly status: string; readonly count: number }[]
  readonly publicAddresses: () => readonly string[] | Promise<readonly string[]>
  readonly dns: () => CheckOptions
}

/** How long the check waits for DNS servers, in milliseconds. */
const dnsMs = 3_000

/** The lines in their order. Takes a few seconds at most; the event loop waits for none of them. */
export async function checkStore(parts: DoctorParts): Promise<Check[]> {
  const { databasePath, clock, hosting, isRunning } = parts
  const nowMs = clock.now()
  const [examined, platform] = await Promise.all([examination(parts), platformCheck(parts)])
  const isInMemory = databasePath === ':memory:'
  const isUnread = examined.some(({ name, ok }) => (name === 'database' || name === 'schema') && ok !== true)
  const orNotExamined = (check: Check) => (isUnread && check.ok === null ? notExamined(check.name) : check)
  // The options of hosting are in the database, too.
  const isKnown = isRunning || hosting !== undefined || !isUnread
  const watching = attentionChecks(parts, nowMs)
  const directory = isInMemory
    ? [good('data_directory', 'The store is in memory.')]
    : [directoryCheck(databasePath, parts.isForOwner), spaceCheck(databasePath)]
  return [
    ...directory,
    ...examined,
    ...watching.map(orNotExamined),
    ...(isInMemory ? [] : [portsCheck(parts.ports, isRunning ? 'self' : undefined)]),
    isKnown ? platform : notExamined(platform.name),
    ...(isRunning ? [descriptorsCheck(hosting !== undefined)] : []),
  ]
}

async function examination({ databasePath, examine }: DoctorParts): Promise<readonly Check[]> {
  if (databasePath === ':memory:') return []
  try {
    return await examine()
  } catch (error) {
    if (!(error instanceof SubprocessEnded || error instanceof AppError)) throw error
    return [notKnown('database', `The database was not examined: ${error.message}`)]
  }
}

async function platformCheck({ hosting, publicAddresses, dns }: DoctorParts): Promise<Check> {
  const name = 'platform_domain'
  if (hosting === undefined) return good(name, 'Hosting is off.')
  const { platformDomain, sitesDomain, isLocal } = hosting
  if (isLocal) return good(name, `${platformDomain} is for this machine alone.`)
  const addresses = await publicAddresses()
  if (addresses.length === 0) {
    const fix = `Point ${platformDomain}, *.${sitesDomain} and *.edge.${platformDomain} at this machine, or give --public-address.`
    return bad(name, `${platformDomain} has no address, or its lookup fails.`, fix)
  }
  const options = { ...dns(), signal: AbortSignal.timeout(dnsMs) }
  const { checkPlatform, findAddresses } = await import('../../dns/platform.ts')
  const [[finding], own] = await Promise.all([
    checkPlatform(platformDomain, addresses, options, sitesDomain),
    findAddresses(platformDomain, options),
  ])
  if (finding) return bad(name, finding.message, finding.fix)
  // Without a response there are no findings.
  if (own.A === undefined || own.AAAA === undefined) {
    return notKnown(name, `No resolver responded for ${platformDomain} in time.`)
  }
  return good(name, `The records of ${platformDomain} lead here.`)
}

/** A line that reports a fault if something of these kinds needs attention. */
interface Watched {
  readonly name: string
  readonly kinds: RegExp
  /** Undefined if that is not known. */
  readonly good: (parts: DoctorParts, nowMs: number) => string | undefined
}

const watched: readonly Watched[] = [
  {
    name: 'storage',
    kinds: /^storage_fault$/,
    good: ({ isRunning }) => (isRunning ? 'Changes can be stored.' : undefined),
  },
  {
    name: 'clock',
    kinds: /^clock_wrong$/,
    good: (_, nowMs) => `The clock shows ${timeText(nowMs)}.`,
  },
  { name: 'backups', kinds: /^backup(s_|_failed|_overdue)/, good: newestBackup },
  { name: 'backup_copies', kinds: /^backup_copy/, good: copyWords },
  { name: 'restore', kinds: /^restored_/, good: () => 'The store is not on hold after a restore.' },
  {
    name: 'domains',
    kinds: /^(domain|domain_degraded|hosting_off|imprint_missing)$/,
    good: (parts) => (parts.hosting ? domainWords(parts) : 'Hosting is off, and no website is published.'),
  },
  {
    name: 'certificates',
    kinds: /^certificate_/,
    good: ({ hosting }) => (hosting ? 'No certificate is missing, and none expires soon.' : 'Hosting is off.'),
  },
  {
    name: 'mail',
    kinds: /^mail_/,
    good(parts) {
      const smtp = parts.smtp()
      if (smtp !== null) return `Mail goes to ${smtp}.`
      return parts.isRunning ? 'Mail is off: nobody is notified of a fault.' : 'The settings name no mail server.'
    },
  },
  { name: 'webhooks', kinds: /^webhook/, good: () => 'No webhook was turned off because of failures.' },
]

function domainWords({ domainCounts }: DoctorParts): string {
  const counts = Object.fromEntries(domainCounts().map(({ status, count }) => [status, count]))
  const words = (number = 0, one: string, several: string) =>
    number === 0 ? [] : [number === 1 ? `1 domain ${one}` : `${number} domains ${several}`]
  const found = [
    ...words(counts['verified'], 'leads here', 'lead here'),
    ...words(counts['pending'], 'waits for its records', 'wait for their records'),
  ]
  return `${found.join('; ') || 'There is no domain yet'}.`
}

const timeText = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function copyWords({ copies }: DoctorParts): string | undefined {
  const view = copies()
  if (view === undefined) return undefined
  const { bucket, recipients, last } = view
  if (bucket === null) return 'No bucket is set: backups are on this machine alone.'
  const when = last === null ? 'nothing was copied yet' : `the last copy was made at ${timeText(Date.parse(last.at))}`
  return `Backups are copied ${recipients.length > 0 ? 'encrypted' : 'unencrypted'} to ${bucket.address}; ${when}.`
}

function newestBackup(parts: DoctorParts, nowMs: number): string {
  const backups = parts.databasePath === ':memory:' ? [] : madeBackups(parts, parts.storeId())
  const newest = backups.find(({ createdAt }) => hasCome(Date.parse(createdAt), nowMs))
  const nextAt = parts.nextBackup()
  const next = nextAt === null ? '' : ` The next one is made at ${timeText(Date.parse(nextAt))}.`
  if (newest === undefined) return `There is no backup yet.${next}`
  const hours = Math.max(0, Math.floor((nowMs - Date.parse(newest.createdAt)) / 3_600_000))
  const age = hours < 48 ? `${hours} ${hours === 1 ? 'hour' : 'hours'}` : `${Math.floor(hours / 24)} days`
  return `The newest is ${age} old; there ${backups.length === 1 ? 'is 1' : `are ${backups.length}`} in all.${next}`
}

function attentionChecks(parts: DoctorParts, nowMs: number): Check[] {
  const names = watched.map(({ name }) => name)
  return orUnknown(names, () => {
    const items = parts.attention(nowMs)
    return watched.flatMap((one) => orUnknown([one.name], () => watchedCheck(one, items, parts, nowMs)))
  })
}

function watchedCheck(
  { name, kinds, good: words }: Watched,
  items: readonly AttentionItem[],
  parts: DoctorParts,
  nowMs: number,
): Check[] {
  const [item, ...more] = items.filter(({ kind }) => kinds.test(kind))
  if (item === undefined) {
    const message = words(parts, nowMs)
    return message === undefined ? [] : [good(name, message)]
  }
  const { what, advice } = attentionText(item)
  return [bad(name, `${what}${more.length > 0 ? `, and ${more.length} more` : ''}.`, advice)]
}

/** What `check` returns, or lines of these names if something that it needs cannot be read. */
function orUnknown(names: readonly string[], check: () => Check[]): Check[] {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof AppError || isSystemError(error))) throw error
    return names.map((name) => notKnown(name, `Not known: ${messageOf(error)}`))
  }
}
