/** The navigation: at the side on wide windows, at the bottom on phones with the rest behind "More". */

import { Drawer, NavLink, Text, VisuallyHidden } from '@mantine/core'
import {
  IconBook2,
  IconBuildingStore,
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
  { path: '/web-shop', label: 'Web shop', Icon: IconBuildingStore, words: 'website public homepage' },
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
      <div className="divided">
        <ul className="plain-list">
          {destinations.map((destination) => (
            <li key={destination.path}>
              <DestinationLink destination={destination} />
            </li>
          ))}
        </ul>
        <ul className="plain-list">
          <li>
            <DocsLink />
          </li>
        </ul>
      </div>
      <Text mt="auto" mx="sm" pt="md" fz="0.8rem" c="dimmed">
        Version {version}
      </Text>
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
        {primary.map((destination) => {
          const { path, label, Icon } = destination
          const isActive = isWithin(location, destination)
          return (
            <Link
              key={path}
              href={path}
              className="destination"
              data-active={isActive || undefined}
              aria-current={isActive ? 'page' : undefined}
            >
              <Icon size={22} aria-hidden="true" />
              {label}
            </Link>
          )
        })}
        <button
          type="button"
          className="destination"
          data-active={isMore || undefined}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <IconDots size={22} aria-hidden="true" />
          More
        </button>
      </nav>
      <Drawer opened={isOpen} onClose={() => setOpen(false)} title="More pages" position="bottom" size={240}>
        <nav aria-label="More pages">
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
  readonly onOpen?: () => void
}

function DestinationLink({ destination, onOpen = () => {} }: DestinationProps) {
  const [location] = useLocation()
  const isActive = isWithin(location, destination)
  const { path, label, Icon } = destination
  return (
    <NavLink
      component={Link}
      href={path}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      label={label}
      leftSection={<Icon size={20} aria-hidden="true" />}
      onClick={onOpen}
    />
  )
}

function DocsLink() {
  return (
    <NavLink
      href="/docs"
      target="_blank"
      rel="noreferrer"
      label="Docs"
      description={
        <>
          For programmers<VisuallyHidden> (opens in a new tab)</VisuallyHidden>
        </>
      }
      leftSection={<IconBook2 size={20} aria-hidden="true" />}
      rightSection={<IconExternalLink size={14} aria-hidden="true" />}
    />
  )
}
