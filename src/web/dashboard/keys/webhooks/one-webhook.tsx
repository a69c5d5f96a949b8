/** One webhook: its events, its state, its messages, and what can be done with it. */

import { Box, Code, Group, Menu, NativeSelect, Stack, Table, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useAccountNames } from '../../api/accounts.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { newRequest } from '../../api/send.ts'
import { ChangeButton } from '../../ui/change.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatNumber, isolated } from '../../ui/format.ts'
import { withParameters } from '../../ui/input.ts'
import { Moment } from '../../ui/moment.tsx'
import { showDone } from '../../ui/notices.tsx'
import { BackLink, Section } from '../../ui/page.tsx'
import { RecordMenu } from '../../ui/record-menu.tsx'
import { Quiet } from '../../ui/small.ts'
import { Empty, Loaded, LoadingRows } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { RecordTable, ShowMore, wide } from '../../ui/table.tsx'
import { ChangeWebhook, type WebhookAction } from './change-webhook.tsx'
import { restingReasonQuery } from './events-on-hold.tsx'
import { deliveriesQuery, webhookQuery } from './queries.ts'
import {
  type Delivery,
  deliveryWords,
  includesOrders,
  nameOf,
  responseWords,
  stateAdvice,
  stateWords,
  typesWords,
  typeWords,
  type Webhook,
} from './words.ts'

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
            <BackLink href={list}>{label}</BackLink>
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
    showDone(
      `The webhook “${isolated(name)}” is off. Nothing is lost: when you turn it on again, it continues where it stopped.`,
    )
  }

  return (
    <Section
      title={name}
      lead={webhook.url}
      actions={
        <>
          <ChangeButton variant="filled" change={test} failure="The test event was not sent">
            Send test event
          </ChangeButton>
          {webhook.enabled ? (
            <ChangeButton change={turnOff}>Turn off</ChangeButton>
          ) : (
            <ChangeButton change={async () => setAction('enable')}>Turn on</ChangeButton>
          )}
          <RecordMenu label={`More for the webhook ${name}`}>
            <Menu.Item onClick={() => setAction('change')}>Change webhook</Menu.Item>
            <Menu.Item onClick={() => setAction('replay')}>Send events again</Menu.Item>
            <Menu.Item onClick={() => setAction('secret')}>Create new secret</Menu.Item>
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
          {advice !== undefined && <Quiet>{advice}</Quiet>}
        </Fact>
        <Fact label="Events">
          {typesWords(webhook.types)}
          {includesOrders(webhook.types) && (
            <Quiet>{webhook.orders === 'all' ? 'All orders of the store.' : 'Only the orders of its account.'}</Quiet>
          )}
        </Fact>
        <Fact label="Account">{accountName(webhook.accountId)}</Fact>
        <Fact label="Pending events">{pendingWords(webhook.pending)}</Fact>
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
  if (pending === 0) return 'None'
  return `${formatNumber(pending)}${pending >= countedPending ? ' or more' : ''}`
}

function TestOutcome({ tested }: { readonly tested: Schemas['WebhookTest'] }) {
  return (
    <Stack gap="xs" mb="md">
      <Group gap="xs">
        <Status of={tested.delivered ? ['The test event arrived', 'good'] : ['The test event did not arrive', 'bad']} />
        <Quiet>{responseWords(tested)}</Quiet>
      </Group>
      <ErrorAndResponse of={tested} />
    </Stack>
  )
}

/** The messages that were sent to it: whether they arrived, the response of the other server, and sending one again. */
function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const [parameters, setParameters] = useSearchParams()
  const state = parameters.get('state') === 'failed' ? 'failed' : undefined
  const query = useInfiniteQuery(deliveriesQuery(webhook.id, state))
  return (
    <Section
      title="Messages"
      lead="The last 1,000 messages, for up to 7 days. Failed ones stay for as long as the store keeps their event."
      actions={
        <NativeSelect
          aria-label="Which messages"
          data={[
            { value: '', label: 'All messages' },
            { value: 'failed', label: 'Failed messages' },
          ]}
          value={state ?? ''}
          onChange={({ currentTarget }) =>
            setParameters((before) => withParameters(before, { state: currentTarget.value }))
          }
        />
      }
    >
      <Loaded query={query} loading={<LoadingRows rows={4} label="Loading the messages…" />}>
        {(deliveries) =>
          deliveries.length === 0 && !query.hasNextPage ? (
            <Empty
              title={state === undefined ? 'No messages yet' : 'No failed messages'}
              text={
                state === undefined && webhook.state === 'working'
                  ? 'The next matching event is sent at once. To try it now, choose “Send test event”.'
                  : undefined
              }
            />
          ) : (
            <>
              <DeliveryTable deliveries={deliveries} />
              <ShowMore query={query} label="Show older messages" />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function DeliveryTable({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  return (
    <RecordTable isInSection columns={['Event', wide('When'), 'Result']}>
      {deliveries.map((delivery) => (
        <Table.Tr key={delivery.id}>
          <Table.Td>
            {/* The words stay whole on phones. */}
            <Text fw={700} style={{ overflowWrap: 'break-word' }}>
              {typeWords(delivery.type)}
            </Text>
            <Quiet>evt_{delivery.eventId}</Quiet>
            <Quiet hiddenFrom="sm">
              <Moment time={delivery.attemptedAt} isRelative />
            </Quiet>
          </Table.Td>
          <Table.Td visibleFrom="sm">
            <Moment time={delivery.attemptedAt} isRelative />
          </Table.Td>
          <Table.Td>
            {/* On phones, the button is below the text. */}
            <Group justify="space-between" gap="0.35rem 1rem">
              <Result delivery={delivery} />
              <Retry delivery={delivery} />
            </Group>
          </Table.Td>
        </Table.Tr>
      ))}
    </RecordTable>
  )
}

function Result({ delivery }: { readonly delivery: Delivery }) {
  const { state, attempts, nextAttemptAt, error, response } = delivery
  return (
    <Box flex="1 1 8rem" miw={0}>
      <Status of={deliveryWords(state)} />
      <Quiet>
        {responseWords(delivery)}
        {attempts > 1 && `, ${attempts} attempts`}
      </Quiet>
      {nextAttemptAt !== null && (
        <Quiet>
          {/* Of a webhook that fails, one message is tried at a time. */}
          {Date.parse(nextAttemptAt) < Date.now() ? (
            'Queued'
          ) : (
            <>
              Next attempt <Moment time={nextAttemptAt} isRelative />
            </>
          )}
        </Quiet>
      )}
      {(error !== null || response !== null) && (
        <details>
          <summary>Error and response</summary>
          <ErrorAndResponse of={delivery} />
        </details>
      )}
    </Box>
  )
}

function ErrorAndResponse({ of: { error, response } }: { readonly of: Pick<Delivery, 'error' | 'response'> }) {
  return (
    <>
      {error !== null && <Text className="breaks">{error}</Text>}
      {/* Text of any shape: it scrolls, by the keyboard too. */}
      {response !== null && (
        <Code block mah="12rem" mt={6} fz="0.8125rem" tabIndex={0}>
          {response}
        </Code>
      )}
    </>
  )
}

function Retry({ delivery: { id, type, state } }: { readonly delivery: Delivery }) {
  async function retry(): Promise<void> {
    const path = { deliveryId: id }
    await api.POST('/webhooks/deliveries/{deliveryId}/retry', { params: { path, header: newRequest() } })
    showDone(`“${typeWords(type)}” is being sent again.`)
  }
  const label = state === 'delivered' ? 'Send again' : 'Retry'
  return (
    <ChangeButton aria-label={`${label}: ${typeWords(type)}, message ${id}`} change={retry}>
      {label}
    </ChangeButton>
  )
}
