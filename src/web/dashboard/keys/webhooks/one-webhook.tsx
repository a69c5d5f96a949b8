/** One webhook: what it is told, whether that arrives, and what can be done with it. */

import { Button, Menu } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAccountNames } from '../../api/accounts.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { newRequest } from '../../api/send.ts'
import { ChangeButton } from '../../ui/change.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatNumber, isolated } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { showDone } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { RecordMenu } from '../../ui/record-menu.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { ChangeWebhook, type WebhookAction } from './change-webhook.tsx'
import { Deliveries, ReceiverAnswer } from './deliveries.tsx'
import { restingReasonQuery } from './events-on-hold.tsx'
import { webhookQuery } from './queries.ts'
import { answerWords, nameOf, stateAdvice, stateWords, tellsOrders, typesWords, type Webhook } from './words.ts'
import './webhooks.css'

interface OneWebhookProps {
  readonly id: number
  /** The address of the list. */
  readonly list: string
  readonly onDeleted: () => void
}

export function OneWebhook({ id, list, onDeleted }: OneWebhookProps) {
  const query = useQuery(webhookQuery(id))
  const label = 'Show all webhooks'
  return (
    <Loaded query={query} list={{ href: list, label }}>
      {(webhook) => (
        <>
          <div>
            <Button component={Link} href={list} variant="default" leftSection={<IconArrowLeft size={16} />}>
              {label}
            </Button>
          </div>
          <WebhookFacts webhook={webhook} onDeleted={onDeleted} />
          <Deliveries webhook={webhook} />
        </>
      )}
    </Loaded>
  )
}

function WebhookFacts({ webhook, onDeleted }: { readonly webhook: Webhook; readonly onDeleted: () => void }) {
  const [action, setAction] = useState<WebhookAction>()
  const [tested, setTested] = useState<Schemas['WebhookTest']>()
  const accountName = useAccountNames([webhook.accountId])
  const path = { webhookId: webhook.id }
  const name = nameOf(webhook)
  const { data: restingReason } = useQuery(restingReasonQuery)
  const advice = stateAdvice(webhook.state, restingReason ?? undefined)

  async function test(): Promise<void> {
    setTested(undefined)
    setTested(await bodyOf(api.POST('/webhooks/{webhookId}/test', { params: { path, header: newRequest() } })))
  }

  async function turnOff(): Promise<void> {
    await api.PATCH('/webhooks/{webhookId}', { params: { path }, body: { enabled: false } })
    showDone(`The webhook “${isolated(name)}” is off. Nothing is lost: turned on again, it goes on where it stopped.`)
  }

  return (
    <Section
      title={name}
      lead={webhook.url}
      actions={
        <>
          <ChangeButton size="xs" variant="filled" change={test} failure="The test event was not sent">
            Send test event
          </ChangeButton>
          {webhook.enabled ? (
            <ChangeButton size="xs" change={turnOff}>
              Turn off
            </ChangeButton>
          ) : (
            <ChangeButton size="xs" change={async () => setAction('enable')}>
              Turn on
            </ChangeButton>
          )}
          <RecordMenu label={`More for the webhook ${name}`}>
            <Menu.Item onClick={() => setAction('change')}>Change webhook</Menu.Item>
            <Menu.Item onClick={() => setAction('replay')}>Send events again</Menu.Item>
            <Menu.Item onClick={() => setAction('secret')}>Make new secret</Menu.Item>
            <Menu.Item c="var(--bad)" onClick={() => setAction('delete')}>
              Delete webhook
            </Menu.Item>
          </RecordMenu>
        </>
      }
    >
      <div role="status">{tested !== undefined && <TestOutcome tested={tested} />}</div>
      <Facts>
        <Fact label="State">
          <Status of={stateWords(webhook.state)} />
          {advice !== undefined && <div className="quiet">{advice}</div>}
        </Fact>
        <Fact label="Is told">
          {typesWords(webhook.types)}
          {tellsOrders(webhook.types) && (
            <div className="quiet">
              {webhook.orders === 'all' ? 'Of all orders of the store.' : 'Of the orders of its account alone.'}
            </div>
          )}
        </Fact>
        <Fact label="Account">{accountName(webhook.accountId)}</Fact>
        <Fact label="Still to send">{pendingWords(webhook.pending)}</Fact>
        <Fact label="Added">
          <Moment time={webhook.createdAt} />
        </Fact>
      </Facts>
      <ChangeWebhook webhook={webhook} action={action} onClose={() => setAction(undefined)} onDeleted={onDeleted} />
    </Section>
  )
}

/** The API counts no further. */
const countedPending = 100

function pendingWords(pending: number): string {
  if (pending === 0) return 'Nothing'
  return `${formatNumber(pending)}${pending >= countedPending ? ' or more' : ''}`
}

function TestOutcome({ tested }: { readonly tested: Schemas['WebhookTest'] }) {
  return (
    <div className="webhook-test">
      <Status of={tested.delivered ? ['The test event arrived', 'good'] : ['The test event did not arrive', 'bad']} />{' '}
      <span className="quiet">{answerWords(tested)}</span>
      {tested.error !== null && <p>{tested.error}</p>}
      {tested.response !== null && <ReceiverAnswer text={tested.response} />}
    </div>
  )
}
