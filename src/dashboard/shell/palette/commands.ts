/** What the palette finds besides animals: the pages, and what can be done. */

import type { Icon } from '@tabler/icons-react'
import {
  IconBook2,
  IconDatabaseExport,
  IconFileImport,
  IconKey,
  IconList,
  IconPaw,
  IconShoppingBag,
  IconTag,
} from '@tabler/icons-react'
import { destinations } from '../destinations.ts'

export interface Command {
  readonly id: string
  readonly label: string
  readonly group: 'Pages' | 'Actions' | 'Animals'
  /** An address below /dashboard, or of another page of this server. */
  readonly href: string
  readonly isOutside?: boolean
  readonly words: string
  readonly Icon: Icon
}

const actions: readonly Command[] = [
  action('Add animal', '/animals?add=1', 'new pet', IconPaw),
  action('Import animals', '/animals/import', 'csv file spreadsheet upload', IconFileImport),
  action('Manage categories', '/animals/categories', 'kinds names', IconTag),
  action('Place order', '/orders?place=1', 'sell new', IconShoppingBag),
  action('Create key', '/keys?create=1', 'access partner token', IconKey),
  action('Show the audit log', '/keys/audit', 'history who', IconList),
  action('Back up now', '/settings#backups', 'save copy', IconDatabaseExport),
  { ...action('Open the API documentation', '/docs', 'docs help', IconBook2), isOutside: true },
]

export const commands: readonly Command[] = [
  ...destinations.map(
    ({ path, label, words, Icon }): Command => ({ id: path, label, group: 'Pages', href: path, words, Icon }),
  ),
  ...actions,
]

function action(label: string, href: string, words: string, icon: Icon): Command {
  return { id: href, label, group: 'Actions', href, words, Icon: icon }
}

/** The commands of which every typed word begins a word. */
export function matching(text: string): readonly Command[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ label, words }) => {
    const known = `${label} ${words}`.toLowerCase().split(/\s+/)
    return typed.every((word) => known.some((one) => one.startsWith(word)))
  })
}
