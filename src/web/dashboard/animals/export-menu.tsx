/** The menu of downloads, and the menu that holds everything besides adding on phones. The browser saves a download by the cookie of the session. */

import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconDots, IconFileExport, IconFileImport, IconTag } from '@tabler/icons-react'
import { Link } from 'wouter'

export function ExportMenu() {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<IconFileExport size={16} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={addressOf('csv')} download>
          For a spreadsheet (CSV)
        </Menu.Item>
        <Menu.Item component="a" href={addressOf('ndjson')} download>
          For programs (NDJSON)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const addressOf = (format: 'csv' | 'ndjson') => `/dashboard/files/exports/pets?format=${format}`

/** On phones, the buttons would leave no room for the animals. */
export function MoreMenu() {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More for all animals" hiddenFrom="sm">
          <IconDots size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href="/animals/categories" leftSection={<IconTag size={16} />}>
          Manage categories
        </Menu.Item>
        <Menu.Item component={Link} href="/animals/import" leftSection={<IconFileImport size={16} />}>
          Import animals
        </Menu.Item>
        <Menu.Item component="a" href={addressOf('csv')} download leftSection={<IconFileExport size={16} />}>
          Export for a spreadsheet (CSV)
        </Menu.Item>
        <Menu.Item component="a" href={addressOf('ndjson')} download leftSection={<IconFileExport size={16} />}>
          Export for programs (NDJSON)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
