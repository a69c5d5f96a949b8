/** The dialogs that change a webhook. */

import { Modal, NativeSelect, Text, TextInput } from '@mantine/core'
import { api, bodyOf } from '../../api/client.ts'
import { newRequest } from '../../api/send.ts'
import { Confirm, Form, useFields } from '../../ui/form.tsx'
import { countOf, isolated } from '../../ui/format.ts'
import { lastDay, startOfDay, today } from '../../ui/input.ts'
import { showDone } from '../../ui/notices.tsx'
import { showWebhookSecret } from './secret.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { nameOf, type Webhook } from './words.ts'

/** The change for which a dialog is open. */
export type WebhookAction = 'change' | 'enable' | 'replay' | 'secret' | 'delete'

interface ChangeWebhookProps {
  readonly webhook: Webhook
  readonly action: WebhookAction | undefined
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function ChangeWebhook({ webhook, action, onClose, onDeleted }: ChangeWebhookProps) {
  const name = isolated(nameOf(webhook))
  const path = { webhookId: webhook.id }
  return (
    <>
      <Modal opened={action === 'change'} onClose={onClose} title={`Change the webhook “${name}”`} size="lg">
        <WebhookForm webhook={webhook} onClose={onClose} />
      </Modal>
      <Modal opened={action === 'enable'} onClose={onClose} title={`Turn on the webhook “${name}”`}>
        <EnableForm webhook={webhook} onClose={onClose} />
      </Modal>
      <Modal opened={action === 'replay'} onClose={onClose} title={`Send events to “${name}” again`}>
        <ReplayForm webhook={webhook} onClose={onClose} />
      </Modal>
      <Confirm
        opened={action === 'secret'}
        onClose={onClose}
        title={`Create a new secret for “${name}”?`}
        action="Create new secret"
        isHarmless
        onConfirm={async () => {
          const params = { path, header: newRequest() }
          showWebhookSecret(await bodyOf(api.POST('/webhooks/{webhookId}/secret', { params })))
        }}
      >
        For a secret that was lost, or that others may have seen. For 24 hours, each message is signed with both
        secrets, so that the other server can switch without missing any.
      </Confirm>
      <Confirm
        opened={action === 'delete'}
        onClose={onClose}
        title={`Delete the webhook “${name}”?`}
        action="Delete webhook"
        cancel="Keep webhook"
        onConfirm={async () => {
          await api.DELETE('/webhooks/{webhookId}', { params: { path } })
          showDone(`The webhook “${name}” is deleted.`)
          onDeleted()
        }}
      >
        Nothing is sent there any longer, and the list of its messages is deleted. This cannot be undone.
      </Confirm>
    </>
  )
}

interface FormProps {
  readonly webhook: Webhook
  readonly onClose: () => void
}

function EnableForm({ webhook, onClose }: FormProps) {
  const { values, of } = useFields({ from: '' })

  async function enable(isShown: () => boolean): Promise<void> {
    const body = { enabled: true, ...(values.from === 'now' ? { from: 'now' as const } : {}) }
    await api.PATCH('/webhooks/{webhookId}', { params: { path: { webhookId: webhook.id } }, body })
    showDone(`The webhook “${isolated(nameOf(webhook))}” is on.`)
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={enable} action="Turn on webhook" onCancel={onClose}>
      <NativeSelect
        {...of('from')}
        label="Events since it was turned off"
        data={[
          { value: '', label: 'Send them now, in order' },
          { value: 'now', label: 'Do not send them' },
        ]}
        data-autofocus
      />
    </Form>
  )
}

const hourMs = 3_600_000
const spans = [
  { value: '1', label: 'The last hour' },
  { value: '24', label: 'The last 24 hours' },
  { value: '168', label: 'The last 7 days' },
  { value: 'day', label: 'Since a day you choose' },
]

function ReplayForm({ webhook, onClose }: FormProps) {
  const { values, of, reject } = useFields({ span: '24', day: today() })

  async function replay(isShown: () => boolean): Promise<void> {
    const chosen = startOfDay(values.day)
    const since = values.span === 'day' ? chosen : new Date(Date.now() - Number(values.span) * hourMs).toISOString()
    if (reject({ day: since === undefined ? 'Choose a day.' : undefined }) || since === undefined) return
    const params = { path: { webhookId: webhook.id }, header: newRequest() }
    const { deliveries } = await bodyOf(api.POST('/webhooks/{webhookId}/replay', { params, body: { since } }))
    showDone(
      deliveries === 0 ? 'Nothing has happened since then.' : `${countOf(deliveries, 'event')} will be sent again.`,
    )
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={replay} action="Send events again" onCancel={onClose}>
      <Text>
        For a server that has lost events. It gets every event of this period again, in order. Each has the same ID as
        before, by which a program can recognise it.
      </Text>
      <NativeSelect {...of('span')} label="Period" data={spans} data-autofocus />
      {values.span === 'day' && <TextInput {...of('day')} type="date" max={lastDay} label="First day" />}
    </Form>
  )
}
