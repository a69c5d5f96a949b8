/** The schedule of backups and which are kept, from the options of `serve` or from the settings of the dashboard. */

import { type OptionValues, text, UsageError } from './values.ts'

export interface BackupConfig {
  /** `HH:MM`, or `off`; undefined if the settings decide. */
  readonly at: string | undefined
  /** Undefined if the settings decide. */
  readonly keep: Keep | undefined
  /** An address to fetch after each good backup. It may contain a secret. */
  readonly heartbeatUrl: string | undefined
}

/** How many of the newest days, weeks and months that have a backup keep their newest one. */
export interface Keep {
  readonly days: number
  readonly weeks: number
  readonly months: number
}

export const defaultBackupAt = '03:15'
export const defaultKeep: Keep = { days: 7, weeks: 4, months: 6 }

/** The rules of the values, as text that follows the name of their option or field. */
export const backupAtRule = 'must be a time of day such as 03:15, or off'
export const keepRule = 'must be numbers of days, weeks and months such as 7d,4w,6m'

/** Throws `UsageError` with the name of the first invalid option. */
export function backupConfig(values: OptionValues): BackupConfig {
  const [at, keep, heartbeat] = [
    text(values, 'backup-at'),
    text(values, 'backup-keep'),
    text(values, 'heartbeat-url'),
  ] as const
  const given = {
    at: at === undefined ? undefined : parseBackupAt(at),
    keep: keep === undefined ? undefined : parseKeep(keep),
    heartbeatUrl: heartbeat === undefined ? undefined : URL.parse(heartbeat)?.href,
  }
  if (at !== undefined && given.at === undefined) throw new UsageError(`--backup-at ${backupAtRule}, not "${at}".`)
  if (keep !== undefined && given.keep === undefined) throw new UsageError(`--backup-keep ${keepRule}, not "${keep}".`)
  // The given value may be a secret.
  if (heartbeat !== undefined && !/^https?:/.test(given.heartbeatUrl ?? '')) {
    throw new UsageError('--heartbeat-url must be an http or https address.')
  }
  return Object.freeze(given)
}

/** `HH:MM` or `off`; undefined if the text is neither. */
export function parseBackupAt(given: string): string | undefined {
  const at = given.trim().toLowerCase()
  if (at === 'off') return at
  const [, hour = '', minute] = /^(\d{1,2}):([0-5]\d)$/.exec(at) ?? []
  return minute !== undefined && Number(hour) < 24 ? `${hour.padStart(2, '0')}:${minute}` : undefined
}

const units = { d: 'days', w: 'weeks', m: 'months' } as const

/** Undefined if the text does not say what to keep. A unit that it does not name keeps none. */
export function parseKeep(given: string): Keep | undefined {
  const keep = { days: 0, weeks: 0, months: 0 }
  const parts = given
    .trim()
    .toLowerCase()
    .split(',')
    .map((part) => /^(\d{1,3})([dwm])$/.exec(part.trim()))
  if (new Set(parts.map((part) => part?.[2])).size < parts.length) return undefined
  for (const part of parts) {
    if (!part) return undefined
    keep[units[part[2] as keyof typeof units]] = Number(part[1])
  }
  return keep
}

export function keepText({ days, weeks, months }: Keep): string {
  return `${days}d,${weeks}w,${months}m`
}
