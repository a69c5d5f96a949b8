/** A status as words on a coloured surface. */

import { Badge } from '@mantine/core'

type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

/** The words of a status, and how good or bad it is. */
export type StatusWords = readonly [words: string, tone: Tone]

const colors: Readonly<Record<Tone, string>> = {
  good: 'brand',
  warn: 'amber',
  bad: 'red',
  info: 'blue',
  quiet: 'gray',
}

export function Status({ of: [words, tone] }: { readonly of: StatusWords }) {
  return <Badge color={colors[tone]}>{words}</Badge>
}
