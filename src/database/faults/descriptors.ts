/** Checks for free file descriptors. */

import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/** Whether the process can open `count` more files. */
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
