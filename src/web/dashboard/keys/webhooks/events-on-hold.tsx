/** Events that wait since a backup was restored: they may have been sent before. */

import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { newRequest } from '../../api/send.ts'
import { ChangeButton } from '../../ui/change.tsx'
import { Confirm } from '../../ui/form.tsx'
import { countOf } from '../../ui/format.ts'
import { showDone } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import type { RestingReason } from './words.ts'

/** Why webhooks rest since a backup was restored; null if they do not. */
export const restingReasonQuery = queryOptions({
  queryKey: ['webhooks', 'restingReason'],
  queryFn: async ({ signal }) => {
    const { attention } = await bodyOf(api.GET('/overview', { params: { query: { days: 1 } }, signal }))
    return attention.map(({ kind }) => kind).find(isRestingReason) ?? null
  },
  meta: { topics: ['webhooks', 'owner'] },
})

const isRestingReason = (kind: string): kind is RestingReason =>
  kind === 'webhooks_held' || kind === 'restored_elsewhere'

export function EventsOnHold() {
  const { data: reason } = useQuery(restingReasonQuery)
  const [isGivingUp, setIsGivingUp] = useState(false)
  if (reason !== 'webhooks_held') return null

  const release = (pending: 'send' | 'give_up', done: string) => async () => {
    const { webhooks } = await bodyOf(
      api.POST('/webhooks/release', { params: { header: newRequest() }, body: { pending } }),
    )
    showDone(`${done}: ${countOf(webhooks, 'webhook')} ${webhooks === 1 ? 'goes' : 'go'} on.`)
  }

  return (
    <Section
      title="Events wait for you"
      lead="A backup was restored. What was still to be sent when it was made may have been sent since: sent again, the other servers get it twice; given up, they may never get it."
    >
      <div className="page-actions">
        <ChangeButton variant="filled" change={release('send', 'What waited is sent')}>
          Send what waits
        </ChangeButton>
        <ChangeButton change={async () => setIsGivingUp(true)}>Give up what waits</ChangeButton>
      </div>
      <Confirm
        opened={isGivingUp}
        onClose={() => setIsGivingUp(false)}
        title="Give up what waits?"
        action="Give up what waits"
        onConfirm={release('give_up', 'What waited is given up')}
      >
        The other servers may never get what happened before the restore. What has happened since is sent. This cannot
        be undone.
      </Confirm>
    </Section>
  )
}
