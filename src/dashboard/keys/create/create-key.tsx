/** The dialog to create a key. The key itself is shown once, after it is created. */

import { Modal } from '@mantine/core'
import { useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { refreshKeys } from '../queries.ts'
import { CreateForm } from './create-form.tsx'
import { IssuedKey } from './issued-key.tsx'

interface CreateKeyProps {
  readonly opened: boolean
  /** The account that is chosen already; 0 for none. */
  readonly accountId: number
  /** Called with the key if one was created. */
  readonly onClose: (issued: Schemas['IssuedKey'] | undefined) => void
}

export function CreateKey({ opened, accountId, onClose }: CreateKeyProps) {
  const [issued, setIssued] = useState<Schemas['IssuedKey']>()

  async function create(body: Schemas['NewKey']): Promise<void> {
    setIssued(await bodyOf(api.POST('/keys', { body })))
    await refreshKeys()
  }

  function close(): void {
    onClose(issued)
    setIssued(undefined)
  }

  return (
    <>
      <Modal opened={opened && issued === undefined} onClose={close} title="Create key" size="lg">
        <CreateForm accountId={accountId} onCreate={create} onCancel={close} />
      </Modal>
      <IssuedKey issued={issued} onClose={close} />
    </>
  )
}
