/** The navigation: at the side on wide windows, at the bottom on phones with the rest behind "More". */

import { Drawer } from '@mantine/core'
import {
  IconBook2,
  IconDots,
  IconExternalLink,
  IconHome,
  IconKey,
  IconPaw,
  IconSettings,
  IconShoppingBag,
  IconWorld,
} from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useSession } from '../session/session.ts'

export const destinations = [
  { path: '/', label: 'Overview', Icon: IconHome, words: 'home start dashboard' },
  { path: '/animals', label: 'Animals', Icon: IconPaw, words: 'pets stock list' },
  { path: '/orders', label: 'Orders', Icon: IconShoppingBag, words: 'sales' },
  { path: '/keys', label: 'API keys', Icon: IconKey, words: 'access accounts partners' },
  { path: '/projects', label: 'Projects', Icon: IconWorld, words: 'website domains deploy' },
  { path: '/settings', label: 'Settings', Icon: IconSettings, words: 'backup password sessions' },
] as const

type Destination = (typeof destinations)[number]

/** Whether an address belongs to a destination. */
function isWithin(location: string, { path }: Pick<Destination, 'path'>): boolean {
  return path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)
}

const primary = destinations.slice(0, 4)
const secondary = destinations.slice(4)

export function SideNavigation() {
  const { version } = useSession()
  return (
    <nav className="side-navigation" aria-label="Pages">
      <ul>
        {destinations.map((destination) => (
          <li key={destination.path}>
            <DestinationLink destination={destination} />
          </li>
        ))}
      </ul>
      <ul>
        <li>
          <DocsLink />
        </li>
      </ul>
      <p className="side-navigation-version">Version {version}</p>
    </nav>
  )
}

export function BottomNavigation() {
  const [isOpen, setOpen] = useState(false)
  const [location] = useLocation()
  const isMore = secondary.some((destination) => isWithin(location, destination))
  return (
    <>
      <nav className="bottom-navigation" aria-label="Pages">
        {primary.map((destination) => (
          <DestinationLink key={destination.path} destination={destination} iconSize={22} />
        ))}
        <button
          type="button"
          className="destination"
          data-active={isMore || undefined}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <IconDots size={22} aria-hidden="true" />
          <span>More</span>
        </button>
      </nav>
      <Drawer opened={isOpen} onClose={() => setOpen(false)} title="More pages" position="bottom" size={240}>
        <nav className="more-navigation" aria-label="More pages">
          {secondary.map((destination) => (
            <DestinationLink key={destination.path} destination={destination} onOpen={() => setOpen(false)} />
          ))}
          <DocsLink />
        </nav>
      </Drawer>
    </>
  )
}

interface DestinationProps {
  readonly destination: Destination
  readonly iconSize?: number
  readonly onOpen?: () => void
}

function DestinationLink({ destination, iconSize = 20, onOpen = () => {} }: DestinationProps) {
  const [location] = useLocation()
  const isActive = isWithin(location, destination)
  const { path, label, Icon } = destination
  return (
    <Link
      href={path}
      className="destination"
      data-active={isActive || undefined}
      aria-current={isActive ? 'page' : undefined}
      onClick={onOpen}
    >
      <Icon size={iconSize} aria-hidden="true" />
      <span>{label}</span>
    </Link>
  )
}

function DocsLink() {
  return (
    <a className="destination" href="/docs" target="_blank" rel="noreferrer">
      <IconBook2 size={20} aria-hidden="true" />
      <span>
        Docs <span className="destination-hint">For programmers</span>
        <span className="visually-hidden"> (opens in a new tab)</span>
      </span>
      <IconExternalLink size={14} aria-hidden="true" />
    </a>
  )
}
