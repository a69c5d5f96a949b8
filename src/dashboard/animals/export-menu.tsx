/** Downloads all animals as a file. The browser saves it by the cookie of the session. */

import { Button, Menu } from '@mantine/core'
import { IconFileExport } from '@tabler/icons-react'

export function ExportMenu() {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<IconFileExport size={16} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href="/dashboard/files/exports/pets?format=csv" download>
          For a spreadsheet (CSV)
        </Menu.Item>
        <Menu.Item component="a" href="/dashboard/files/exports/pets?format=ndjson" download>
          For programs (NDJSON)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
