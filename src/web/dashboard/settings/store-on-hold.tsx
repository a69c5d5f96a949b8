/**
 * A store that was restored on another computer is on hold until the owner confirms: the old computer may still run.
 */

import { useQuery } from '@tanstack/react-query'
import { api, bodyOf } from '../api/client.ts'
import { newRequest } from '../api/send.ts'
import { systemQuery } from '../api/system.ts'
import { ChangeButton } from '../ui/change.tsx'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { Status } from '../ui/status.tsx'
import { Row } from './rows.tsx'

export function StoreOnHold() {
  const { data: system } = useQuery(systemQuery)
  if (system === undefined || system.heldSince === null) return null

  async function confirm(): Promise<void> {
    await bodyOf(api.POST('/backups/confirm', { params: { header: newRequest() } }))
    showDone('This computer runs the store now.')
  }

  return (
    <Row
      title={
        <>
          The store is on hold <Status of={['Restored', 'warn']} />
        </>
      }
      buttons={
        <ChangeButton size="xs" variant="filled" change={confirm} failure="The store could not be confirmed">
          Run the store here
        </ChangeButton>
      }
    >
      It was restored here from a backup of another computer, <Moment time={system.heldSince} isRelative />. It orders
      no certificates and sends no mail and no webhooks until you confirm that this computer runs the store now. Stop
      the store on the other computer first.
    </Row>
  )
}
