/**
 * Keeps the hosting options of `serve` in the database: a later start without them uses them, and so do commands where
 * no server runs.
 */

import { resolve } from 'node:path'
import { isHostingOff } from '../config/hosting.ts'
import { hostingOptions } from '../config/hosting-options.ts'
import { type OptionValues, text } from '../config/values.ts'
import type { Tables } from '../database/open.ts'
import { rowsOf } from '../database/rows.ts'
import { hostingSettings } from './table.ts'

/** The only row. */
const id = 1

/** Not stored: a backup must not contain it, and only the server uses it. */
const secrets: readonly string[] = ['acme-eab-kid', 'acme-eab-key']

/** Paths are relative to the directory in which `serve` was started. */
const paths: readonly string[] = ['platform-cert', 'platform-key']

/** The address of the proxy belongs to hosting where a proxy ends TLS: hosting does not start without it. */
const namesOf = (values: OptionValues): readonly string[] => [
  ...Object.keys(hostingOptions),
  ...(text(values, 'https-port')?.toLowerCase() === 'off' ? ['trusted-proxy'] : []),
]

/** The options of hosting among `values`, as they are stored; undefined if hosting is off. */
export function settingsOf(values: OptionValues): OptionValues | undefined {
  if (values['platform-domain'] === undefined || isHostingOff(values)) return undefined
  const kept = namesOf(values).flatMap((name) => {
    const value = values[name]
    if (value === undefined || value === false || secrets.includes(name)) return []
    return [[name, typeof value === 'string' && paths.includes(name) ? resolve(value) : value] as const]
  })
  return Object.fromEntries(kept)
}

/** The options of a start that do not concern hosting. */
export function withoutHosting(values: OptionValues): OptionValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(hostingOptions, name)))
}

export interface StartOptions {
  /** The options with which to start. */
  readonly values: OptionValues
  /** Those that are not given, but stored. */
  readonly reused: OptionValues
  /** Those that are stored and no longer apply: all of them if hosting was turned off. */
  readonly dropped: OptionValues
}

/**
 * The options of a start on a store that was last served with the options `stored`. Sites must not go offline because
 * an option was forgotten: without `--platform-domain` the stored options apply, each unless it is given. With it,
 * those that are given apply alone.
 */
export function startOptions(given: OptionValues, stored: OptionValues): StartOptions {
  const isGiven = (name: string) => given[name] !== undefined
  const rest = Object.entries(stored).filter(([name]) => !isGiven(name))
  if (isHostingOff(given)) return { values: given, reused: {}, dropped: stored }
  if (isGiven('platform-domain')) return { values: given, reused: {}, dropped: Object.fromEntries(rest) }
  const all = { ...Object.fromEntries(rest), ...given }
  const names = namesOf(all)
  const reused = Object.fromEntries(rest.filter(([name]) => names.includes(name)))
  return { values: { ...reused, ...given }, reused, dropped: {} }
}

/** The stored options; empty if the store was last served without hosting. */
export function savedSettings(tables: Tables): OptionValues {
  return rowsOf(tables, hostingSettings).find({ id })?.options ?? {}
}

/** Stores the options of `serve`, or that hosting is off. To be called in a transaction. */
function saveSettings(tables: Tables, values: OptionValues): void {
  const options = settingsOf(values)
  const rows = rowsOf(tables, hostingSettings)
  if (options === undefined) rows.remove({ id })
  else rows.put({ id, options }, 'id')
}

export function createSettingsStore(tables: Tables) {
  return {
    read: () => savedSettings(tables),
    save: (values: OptionValues) => saveSettings(tables, values),
  }
}
