/** Whether the process has file descriptors left. */

import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/** Whether the process can open so many more files. */
export function hasFreeDescriptors(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'))
    return true
  } catch {
    return false
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}
