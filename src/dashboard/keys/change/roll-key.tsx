/** Replaces a key by a successor; the old one works for a while longer, so that nothing stops. */

import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
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
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)

  async function roll(keyId: number): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      const body = { overlapSeconds: Number(overlap) }
      setIssued(await bodyOf(api.POST('/keys/{keyId}/roll', { params: { path: { keyId } }, body })))
      onClose()
      await refreshKeys()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <Modal opened={target !== undefined} onClose={onClose} title={`Roll the key “${target?.name ?? ''}”`}>
        <Stack>
          <Text>You get a new key with the same access. Put it in place of the old one before the old one ends.</Text>
          <NativeSelect
            label="The old key ends"
            value={overlap}
            data={[...overlaps]}
            data-autofocus
            onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
          />
          {error !== undefined && <FormError error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button loading={isBusy} onClick={() => target !== undefined && void roll(target.id)}>
              Roll key
            </Button>
          </Group>
        </Stack>
      </Modal>
      <IssuedKey issued={issued} onClose={() => setIssued(undefined)} />
    </>
  )
}
