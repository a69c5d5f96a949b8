/** The dialog to create a key. The key itself is shown once, after it is created. */

import { Modal } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { CreateForm } from './create-form.tsx'

interface CreateKeyProps {
  readonly opened: boolean
  /** The account that is chosen already; 0 for none. */
  readonly accountId: number
  /** Called with the key if one was created, unless the form has been left before. */
  readonly onClose: (issued?: Schemas['IssuedKey']) => void
}

export function CreateKey({ opened, accountId, onClose }: CreateKeyProps) {
  return (
    <Modal opened={opened} onClose={() => onClose()} title="Create key" size="lg">
      <CreateForm accountId={accountId} onClose={onClose} />
    </Modal>
  )
}
