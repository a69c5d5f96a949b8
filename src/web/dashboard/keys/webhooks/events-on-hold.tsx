/** Events that are on hold since a backup was restored: they may have been sent before. */

import { Group } from '@mantine/core'
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

/** Why webhooks are paused since a backup was restored; null if they are not. */
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
  const [isDiscarding, setDiscarding] = useState(false)
  if (reason !== 'webhooks_held') return null

  const release = (pending: 'send' | 'give_up', done: string) => async () => {
    const { webhooks } = await bodyOf(
      api.POST('/webhooks/release', { params: { header: newRequest() }, body: { pending } }),
    )
    showDone(`${done}: ${countOf(webhooks, 'webhook')} resumed.`)
  }

  return (
    <Section
      title="Events on hold"
      lead="A backup was restored. The events that were pending when it was made may have been sent since. If you send them, the other servers may get them twice. If you discard them, the other servers may never get them."
    >
      <Group gap="xs">
        <ChangeButton size="sm" variant="filled" change={release('send', 'Pending events are sent')}>
          Send pending events
        </ChangeButton>
        <ChangeButton size="sm" change={async () => setDiscarding(true)}>
          Discard pending events
        </ChangeButton>
      </Group>
      <Confirm
        opened={isDiscarding}
        onClose={() => setDiscarding(false)}
        title="Discard the pending events?"
        action="Discard events"
        onConfirm={release('give_up', 'Pending events are discarded')}
      >
        The other servers may never get the events from before the restore. Events since then are sent. This cannot be
        undone.
      </Confirm>
    </Section>
  )
}
