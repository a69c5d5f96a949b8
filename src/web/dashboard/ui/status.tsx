/** A status as a word on a coloured surface. */

import type { ReactNode } from 'react'
import './status.css'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

export function Status({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`status status-${tone}`}>{children}</span>
}
