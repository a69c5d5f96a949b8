/** The navigation: at the side on wide windows, at the bottom on phones with the rest behind "More". */

import { Drawer } from '@mantine/core'
import { IconBook2, IconDots, IconExternalLink } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useSession } from '../session/use-session.ts'
import { type Destination, destinations, isWithin } from './destinations.ts'

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
          <DestinationLink key={destination.path} destination={destination} isShort />
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
  readonly isShort?: boolean
  readonly onOpen?: () => void
}

function DestinationLink({ destination, isShort = false, onOpen = () => {} }: DestinationProps) {
  const [location] = useLocation()
  const isActive = isWithin(location, destination)
  const { path, label, short, Icon } = destination
  return (
    <Link
      href={path}
      className="destination"
      data-active={isActive || undefined}
      aria-current={isActive ? 'page' : undefined}
      onClick={onOpen}
    >
      <Icon size={isShort ? 22 : 20} aria-hidden="true" />
      <span>{isShort ? short : label}</span>
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
