/** A progress bar on the last line of a terminal. It is redrawn in place and erased at the end. */

import type { Clock } from '../../lib/clock.ts'
import type { Terminal } from '../command.ts'

export interface Progress {
  /** `share` is the part of the work that is done, from 0 to 1, or undefined if that is unknown. */
  update(text: string, share?: number): void
  /** Removes the bar from the terminal; the next update draws it again. */
  clear(): void
}

const intervalMs = 100
const longestBar = 30

/** Draws at most ten times a second, not before `afterMs` milliseconds have passed, and only if `err` is a terminal. */
export function createProgress(
  { err, errColumns }: Pick<Terminal, 'err' | 'errColumns'>,
  clock: Pick<Clock, 'monotonic'>,
  afterMs = 0,
): Progress {
  if (errColumns === undefined) return { update: () => {}, clear: () => {} }
  // The last column stays free: some terminals break the line once it is filled. 0 means unknown.
  const columns = (errColumns || 80) - 1
  const fromMs = clock.monotonic() + afterMs
  let drawnMs = Number.NEGATIVE_INFINITY
  let width = 0

  function draw(line: string): void {
    const nextWidth = Bun.stringWidth(line)
    err(`\r${line}${' '.repeat(Math.max(0, width - nextWidth))}`)
    width = nextWidth
  }

  return {
    update(text, share) {
      const nowMs = clock.monotonic()
      if (nowMs < fromMs || nowMs - drawnMs < intervalMs) return
      drawnMs = nowMs
      draw(lineOf(text, share, columns))
    },
    clear() {
      if (width > 0) err(`\r${' '.repeat(width)}\r`)
      width = 0
      drawnMs = Number.NEGATIVE_INFINITY
    },
  }
}

function lineOf(text: string, share: number | undefined, columns: number): string {
  if (share === undefined) return text.slice(0, columns)
  const done = Math.min(Math.max(share, 0), 1)
  const percent = `${Math.floor(done * 100)} %`.padStart(5)
  const space = Math.min(longestBar, columns - text.length - percent.length - ' [] '.length)
  if (space < 1) return `${text} ${percent}`.slice(0, columns)
  const filled = Math.round(done * space)
  return `${text} [${'#'.repeat(filled)}${'-'.repeat(space - filled)}] ${percent}`
}
