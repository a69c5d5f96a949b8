/** A status as words on a coloured surface. */

import './status.css'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

/** The words of a status, and how good or bad it is. */
export type StatusWords = readonly [words: string, tone: Tone]

export function Status({ of: [words, tone] }: { readonly of: StatusWords }) {
  return <span className={`status status-${tone}`}>{words}</span>
}
