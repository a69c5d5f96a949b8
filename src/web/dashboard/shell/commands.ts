/** The palette's entries besides animals: pages and actions. */

import type { MantineColorScheme } from '@mantine/core'
import {
  type Icon,
  IconArrowBackUp,
  IconBook2,
  IconCash,
  IconDatabaseExport,
  IconDeviceDesktop,
  IconFileImport,
  IconKey,
  IconList,
  IconMoon,
  IconPaw,
  IconShoppingBag,
  IconSun,
  IconTag,
  IconWebhook,
} from '@tabler/icons-react'
import { destinations } from './navigation.tsx'

export interface Command {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly group: 'Pages' | 'Actions' | 'Animals'
  /** An address below /dashboard, or of another page of this server. */
  readonly href: string
  readonly isOutside?: boolean
  /** Changes the colours instead of opening an address. */
  readonly colorScheme?: MantineColorScheme
  readonly words: string
  /** What to do next on the page that it opens. */
  readonly hint?: string
  readonly Icon: Icon
}

const actions: readonly Command[] = [
  action('Sell an animal', '/animals?status=available', 'sold sale counter mark', IconCash),
  {
    ...action('Take back a sale: mark as available', '/animals?status=sold', 'sold undo return', IconArrowBackUp),
    hint: 'To take back a sale, open the menu at the end of the animal’s row and choose “Mark as available”.',
  },
  action('Add animal', '/animals?add=1', 'new pet', IconPaw),
  action('Import animals', '/animals/import', 'csv file spreadsheet upload undo', IconFileImport),
  action('Manage categories', '/animals/categories', 'kinds names', IconTag),
  action('Place order', '/orders?place=1', 'reserve new customer', IconShoppingBag),
  action('Create key', '/keys?create=1', 'share access partner token', IconKey),
  action('Add webhook', '/keys/webhooks?add=1', 'events messages partner server', IconWebhook),
  action('Show the audit log', '/keys/audit', 'history who', IconList),
  action('Back up now', '/settings#backups', 'save copy', IconDatabaseExport),
  { ...action('Open the API documentation', '/docs', 'docs help programmers', IconBook2), isOutside: true },
  colours('Dark colours', 'dark', IconMoon),
  colours('Light colours', 'light', IconSun),
  colours('Colours as on this device', 'auto', IconDeviceDesktop),
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

function colours(label: string, colorScheme: MantineColorScheme, icon: Icon): Command {
  return { ...action(label, colorScheme, 'mode theme night scheme', icon), colorScheme }
}

/** What a typed text searches for among the orders: a number, or the words after "order". */
const orderText = /^(?:#?\s*(\d+)|orders?\s+(?:(?:no|number)\.?\s*)?#?\s*(\S.*))$/i

/** Searches the orders on their page, if the text seems to mean one. */
export function orderSearch(text: string): readonly Command[] {
  const [, number, words] = orderText.exec(text.trim()) ?? []
  const wanted = number ?? words
  if (wanted === undefined) return []
  const href = `/orders?${new URLSearchParams({ q: wanted })}`
  return [{ ...action(`Search orders for “${wanted}”`, href, '', IconShoppingBag), id: 'orders' }]
}

/** The commands of which every typed word begins a word. */
export function matching(text: string): readonly Command[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ label, words }) => {
    const known = `${label} ${words}`.toLowerCase().split(/\s+/)
    return typed.every((word) => known.some((one) => one.startsWith(word)))
  })
}
