/** A line of `petstore doctor`: what was examined, whether it is in order, and what to do if it is not. */

import { printable } from '../../lib/log.ts'

export interface Check {
  /** Such as `foreign_keys`; later versions may add others. */
  readonly name: string
  /** Null if it is unknown. */
  readonly ok: boolean | null
  /** What was found, as a sentence. */
  readonly message: string
  /** What to do; null where nothing has to be done. */
  readonly fix: string | null
}

/** The longest message and the longest fix, in UTF-16 units. */
export const longestText = 1_000

export const good = (name: string, message: string): Check => line(name, true, message, null)
export const bad = (name: string, message: string, fix: string): Check => line(name, false, message, fix)
export const notKnown = (name: string, message: string): Check => line(name, null, message, null)

export const notExamined = (name: string): Check => notKnown(name, 'Not examined, for the reason above.')

function line(name: string, ok: boolean | null, message: string, fix: string | null): Check {
  return { name, ok, message: bounded(message), fix: fix === null ? null : bounded(fix) }
}

/** Names of files and hosts come from outside. */
const bounded = (text: string) => printable(text).slice(0, longestText).toWellFormed()
