/** How to restore a backup: with a command, ready to copy. */

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Schemas } from '../../api/client.ts'
import { systemQuery } from '../../api/system.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { formatMoment } from '../../ui/format.ts'
import { restoreCommand } from './commands.ts'

interface RestoreDialogProps {
  readonly backup: Schemas['Backup'] | undefined
  readonly onClose: () => void
}

export function RestoreDialog({ backup, onClose }: RestoreDialogProps) {
  return (
    <Modal opened={backup !== undefined} onClose={onClose} title="Restore a backup" size="lg">
      {backup !== undefined && <Content backup={backup} onClose={onClose} />}
    </Modal>
  )
}

function Content({ backup, onClose }: { readonly backup: Schemas['Backup']; readonly onClose: () => void }) {
  const { data: system } = useQuery(systemQuery)
  const text = useRef<HTMLElement>(null)
  const command = restoreCommand(backup.name, system ?? { environment: 'production', folder: null, executable: null })
  return (
    <Stack>
      <Text>
        The whole store becomes as it was on {formatMoment(backup.createdAt)}: animals and orders, but also your
        password and all keys. What was changed since is set aside in a backup of its own.
      </Text>
      <ol className="restore-steps">
        <li>Stop the store.</li>
        <li>
          Run this command on its computer:
          <code ref={text} className="command">
            {command}
          </code>
          <CopyButton text={command} label="Copy command" source={text} size="xs" data-autofocus />
        </li>
        <li>Start the store again, and sign in with the password of that time.</li>
      </ol>
      <Group className="form-buttons" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}
