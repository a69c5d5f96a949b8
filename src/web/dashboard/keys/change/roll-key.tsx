/** Replaces a key by a successor; the old one works for a while longer, so that nothing stops. */

import { Modal, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { useIsShown } from '../../ui/feedback/use-is-shown.ts'
import { Form } from '../../ui/form/form.tsx'
import { isolated } from '../../ui/format.ts'
import { useIssuedKey } from '../create/issued-key.tsx'
import { refreshKeys } from '../queries.ts'
import type { Key } from '../words.ts'

const overlaps = [
  { value: '0', label: 'At once' },
  { value: '3600', label: 'In an hour' },
  { value: '86400', label: 'In a day' },
  { value: '604800', label: 'In 7 days' },
] as const

interface RollKeyProps {
  readonly target: Key | undefined
  readonly onClose: () => void
}

export function RollKey({ target, onClose }: RollKeyProps) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} title={`Replace the key “${isolated(target?.name ?? '')}”`}>
      {target !== undefined && <RollForm key={target.id} target={target} onClose={onClose} />}
    </Modal>
  )
}

interface RollFormProps {
  readonly target: Key
  readonly onClose: () => void
}

function RollForm({ target: { id, lastUsedAt }, onClose }: RollFormProps) {
  const showIssued = useIssuedKey()
  const isShown = useIsShown()
  // Nothing stops when a key ends that was never used.
  const [overlap, setOverlap] = useState(lastUsedAt === null ? '0' : '86400')

  async function roll(): Promise<void> {
    const body = { overlapSeconds: Number(overlap) }
    showIssued(await bodyOf(api.POST('/keys/{keyId}/roll', { params: { path: { keyId: id } }, body })))
    if (isShown()) onClose()
    await refreshKeys()
  }

  return (
    <Form onSubmit={roll} action="Replace key" onCancel={onClose}>
      <Text>
        For a key that was lost, or that others may have seen. You get a new key with the same access, in the manual:
        “rolling” the key.
      </Text>
      <NativeSelect
        label="The old key ends"
        description={
          lastUsedAt === null
            ? 'The old key was never used: nothing stops when it ends.'
            : 'Put the new key in place of the old one before then.'
        }
        value={overlap}
        data={[...overlaps]}
        data-autofocus
        onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
      />
    </Form>
  )
}
