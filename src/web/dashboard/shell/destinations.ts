/** The destinations of the navigation. */

import { IconHome, IconKey, IconPaw, IconSettings, IconShoppingBag, IconWorld } from '@tabler/icons-react'

export const destinations = [
  { path: '/', label: 'Overview', short: 'Overview', Icon: IconHome, words: 'home start dashboard' },
  { path: '/animals', label: 'Animals', short: 'Animals', Icon: IconPaw, words: 'pets stock list' },
  { path: '/orders', label: 'Orders', short: 'Orders', Icon: IconShoppingBag, words: 'sales' },
  { path: '/keys', label: 'API keys', short: 'API keys', Icon: IconKey, words: 'access accounts partners' },
  { path: '/projects', label: 'Projects', short: 'Projects', Icon: IconWorld, words: 'website domains deploy' },
  { path: '/settings', label: 'Settings', short: 'Settings', Icon: IconSettings, words: 'backup password sessions' },
] as const

export type Destination = (typeof destinations)[number]

/** Whether an address belongs to a destination. */
export function isWithin(location: string, { path }: Pick<Destination, 'path'>): boolean {
  return path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)
}
