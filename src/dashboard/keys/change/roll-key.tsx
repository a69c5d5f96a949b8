/** Replaces a key by a successor; the old one works for a while longer, so that nothing stops. */

import { Modal, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { Form } from '../../ui/form/form.tsx'
import { IssuedKey } from '../create/issued-key.tsx'
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
  const [overlap, setOverlap] = useState('86400')
  const [issued, setIssued] = useState<Schemas['IssuedKey']>()

  async function roll(keyId: number): Promise<void> {
    const body = { overlapSeconds: Number(overlap) }
    setIssued(await bodyOf(api.POST('/keys/{keyId}/roll', { params: { path: { keyId } }, body })))
    onClose()
    await refreshKeys()
  }

  return (
    <>
      <Modal opened={target !== undefined} onClose={onClose} title={`Roll the key “${target?.name ?? ''}”`}>
        {target !== undefined && (
          <Form onSubmit={() => roll(target.id)} action="Roll key" onCancel={onClose}>
            <Text>You get a new key with the same access. Put it in place of the old one before the old one ends.</Text>
            <NativeSelect
              label="The old key ends"
              value={overlap}
              data={[...overlaps]}
              data-autofocus
              onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
            />
          </Form>
        )}
      </Modal>
      <IssuedKey issued={issued} onClose={() => setIssued(undefined)} />
    </>
  )
}
