/** This machine: whether the store starts when it boots, and how to set that up. */

import { Box, Code, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Schemas } from '../api/client.ts'
import { systemQuery } from '../api/system.ts'
import { CopyButton } from '../ui/copy.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded, LoadingRows } from '../ui/states.tsx'
import { installCommand, restartServiceCommand, serviceLogCommand } from './commands.ts'

export function MachineSection() {
  const query = useQuery(systemQuery)
  return (
    <Section title="This machine">
      <Loaded query={query} loading={<LoadingRows rows={2} />}>
        {(system) => <Machine system={system} />}
      </Loaded>
    </Section>
  )
}

function Machine({ system }: { readonly system: Schemas['System'] }) {
  if (system.runsAs === 'service') {
    return (
      <>
        <Text size="sm">
          The store is a service of this machine: it starts when the machine boots, and again after a failure.
        </Text>
        <Command text={restartServiceCommand(system)} label="Copy command to restart" />
        <Command text={serviceLogCommand(system)} label="Copy command for the log" />
      </>
    )
  }
  if (system.runsAs === 'container') {
    return (
      <Text size="sm">
        The store runs in a container. The container starts when the machine boots if its restart policy says so.
      </Text>
    )
  }
  if (system.folder === null)
    return <Text size="sm">The store is kept in memory, for tests: it is lost when its program ends.</Text>
  return (
    <>
      <Text size="sm">
        The store was started by hand: it does not start when this machine boots. To make it a service, stop it, then
        run this command in the folder in which you started it. The command lists the files that it will write, and
        offers to take over this store.
      </Text>
      <Command text={installCommand(system)} label="Copy command to install" />
    </>
  )
}

function Command({ text, label }: { readonly text: string; readonly label: string }) {
  const shown = useRef<HTMLElement>(null)
  return (
    <Box mt="md">
      <Code block ref={shown}>
        {text}
      </Code>
      <CopyButton mt="xs" text={text} label={label} source={shown} size="xs" />
    </Box>
  )
}
