/** Says how to turn hosting on. */

import { Alert, Code } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { systemQuery } from '../api/system.ts'
import { hostingCommand } from '../settings/commands.ts'

export function HostingOff() {
  const { data: system } = useQuery(systemQuery)
  return (
    <Alert role="note" color="blue" icon={<IconInfoCircle />} title="Hosting is off: this store serves no websites.">
      Point one of your domains, and all names below it, at the computer of the store. Then start the store with that
      domain:
      <Code block my="xs">
        {system === undefined ? ' ' : hostingCommand(system, 'shop.example')}
      </Code>
      You can already prepare everything. To try it out on that computer alone, you need no domain: use shop.localhost.
    </Alert>
  )
}
