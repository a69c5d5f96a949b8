/** Names of projects. */

import { hostnameIn } from '../domains/words.ts'
import { nameProblem } from '../ui/input.ts'

/** The problem of a project's name, in words; undefined if it has none. */
export const projectNameProblem = (name: string): string | undefined =>
  nameProblem(name, 'Enter a name, such as Storefront. It becomes a part of the address.')

/**
 * A name for the website at a pasted address: `Kiosk` for `https://www.kiosk.example/`. Undefined for a text that is no
 * address, and for an address without a word in it.
 */
export function nameInAddress(text: string): string | undefined {
  if (!isAddress(text)) return undefined
  const [label = ''] = hostnameIn(text)
    .replace(/^www\./, '')
    .split('.')
  const words = label.replaceAll(/[-_]+/g, ' ').trim()
  if (words === '' || label.startsWith('xn--') || /^[\d\s]+$/.test(words)) return undefined
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Whether a text is the address of a website rather than its name. */
export const isAddress = (text: string): boolean => /^\s*([a-z][a-z0-9+.-]*:\/\/|www\.)\S+\s*$/i.test(text)
