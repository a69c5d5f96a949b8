/** The dialog to create a key. The key itself is shown once, after it is created. */

import { Modal } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { refreshKeys } from '../queries.ts'
import { CreateForm } from './create-form.tsx'
import { useIssuedKey } from './issued-key.tsx'

interface CreateKeyProps {
  readonly opened: boolean
  /** The account that is chosen already; 0 for none. */
  readonly accountId: number
  /** Called with the key if one was created, unless the form has been left before. */
  readonly onClose: (issued?: Schemas['IssuedKey']) => void
}

export function CreateKey({ opened, accountId, onClose }: CreateKeyProps) {
  const showIssued = useIssuedKey()
  // The form may be left before the response arrives.
  const isOpen = useRef(opened)
  useEffect(() => {
    isOpen.current = opened
    return () => {
      isOpen.current = false
    }
  }, [opened])

  async function create(body: Schemas['NewKey']): Promise<void> {
    const issued = await bodyOf(api.POST('/keys', { body }))
    showIssued(issued)
    if (isOpen.current) onClose(issued)
    await refreshKeys()
  }

  return (
    <Modal opened={opened} onClose={() => onClose()} title="Create key" size="lg">
      <CreateForm accountId={accountId} onCreate={create} onCancel={() => onClose()} />
    </Modal>
  )
}
