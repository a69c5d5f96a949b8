/** The green bar at the top, as on the page at /docs. */

import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { IconBook2, IconLogout, IconSearch, IconUserCircle } from '@tabler/icons-react'
import { Link } from 'wouter'
import { signOut, useSession } from '../session/session.ts'
import { keyName } from '../ui/message-keys.ts'
import { showFailure } from '../ui/notices.tsx'
import { Paw } from '../ui/paw.tsx'

export function Masthead({ onSearch }: { readonly onSearch: () => void }) {
  return (
    <header className="masthead">
      <Link href="/" className="masthead-brand" aria-label="Pet Store: overview">
        <Paw size={30} />
        <span>Pet Store</span>
      </Link>
      <button type="button" className="masthead-search" onClick={onSearch} aria-keyshortcuts="Control+K Meta+K">
        <IconSearch size={18} aria-hidden="true" />
        <span className="masthead-search-text">Search pages, actions and animals</span>
        <kbd>{keyName('K')}</kbd>
      </button>
      <OwnerMenu />
    </header>
  )
}

function OwnerMenu() {
  const { owner } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const leave = (): Promise<void> => signOut().catch((error) => showFailure(error, undefined, leave))
  return (
    <Menu width={264} closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon className="masthead-menu" variant="transparent" size={40} aria-label="Your account">
          <IconUserCircle size={26} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label="Your account">
        <Menu.Label>Signed in as {owner.email}</Menu.Label>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          <Menu.RadioItem value="auto">As on this device</Menu.RadioItem>
          <Menu.RadioItem value="light">Light</Menu.RadioItem>
          <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" leftSection={<IconBook2 size={18} />}>
          Docs, for programmers
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={18} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
