/** The messages that were sent to a webhook: whether they arrived, what the other server said, and sending one again. */

import { NativeSelect, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { api } from '../../api/client.ts'
import { newRequest } from '../../api/send.ts'
import { ChangeButton } from '../../ui/change.tsx'
import { withParameters } from '../../ui/input.ts'
import { Moment } from '../../ui/moment.tsx'
import { showDone } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty, Loaded, LoadingRows } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { RecordTable, ShowMore, wide } from '../../ui/table.tsx'
import { deliveriesQuery } from './queries.ts'
import { answerWords, type Delivery, deliveryWords, typeWords, type Webhook } from './words.ts'
import './webhooks.css'

export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const [parameters, setParameters] = useSearchParams()
  const state = parameters.get('state') === 'failed' ? 'failed' : undefined
  const query = useInfiniteQuery(deliveriesQuery(webhook.id, state))
  return (
    <Section
      title="Messages"
      lead="The last 1,000, for 7 days; those that did not arrive as long as the store keeps their event."
      actions={
        <NativeSelect
          aria-label="Which messages"
          data={[
            { value: '', label: 'All messages' },
            { value: 'failed', label: 'Those that failed' },
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
              title={state === undefined ? 'No message yet' : 'No message has failed'}
              text={
                state === undefined && webhook.state === 'working'
                  ? 'The next event of its kinds is sent at once. “Send test event” tries it now.'
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
    <RecordTable className="delivery-table" isInSection columns={['Event', wide('When'), 'Result']}>
      {deliveries.map((delivery) => (
        <Table.Tr key={delivery.id}>
          <Table.Td>
            <strong>{typeWords(delivery.type)}</strong>
            <div className="quiet wide">evt_{delivery.eventId}</div>
            <Text component="div" c="dimmed" size="sm" hiddenFrom="sm">
              <Moment time={delivery.attemptedAt} isRelative />
            </Text>
          </Table.Td>
          <Table.Td visibleFrom="sm">
            <Moment time={delivery.attemptedAt} isRelative />
          </Table.Td>
          <Table.Td>
            <div className="delivery-result">
              <Result delivery={delivery} />
              <Retry delivery={delivery} />
            </div>
          </Table.Td>
        </Table.Tr>
      ))}
    </RecordTable>
  )
}

function Result({ delivery }: { readonly delivery: Delivery }) {
  const { state, attempts, nextAttemptAt, error, response } = delivery
  return (
    <div>
      <Status of={deliveryWords(state)} />
      <div className="quiet">
        {answerWords(delivery)}
        {attempts > 1 && `, ${attempts} attempts`}
      </div>
      {nextAttemptAt !== null && (
        <div className="quiet">
          {/* Of a webhook that fails, one message is tried at a time. */}
          {Date.parse(nextAttemptAt) < Date.now() ? (
            'Waits for its turn'
          ) : (
            <>
              Next attempt <Moment time={nextAttemptAt} isRelative />
            </>
          )}
        </div>
      )}
      {(error !== null || response !== null) && (
        <details className="delivery-details">
          <summary>Why, and what was answered</summary>
          {error !== null && <p>{error}</p>}
          {response !== null && <ReceiverAnswer text={response} />}
        </details>
      )}
    </div>
  )
}

/** What a receiver has answered is text of any shape. */
export function ReceiverAnswer({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by the keyboard
    <pre className="webhook-response" tabIndex={0}>
      {text}
    </pre>
  )
}

function Retry({ delivery: { id, type, state } }: { readonly delivery: Delivery }) {
  async function retry(): Promise<void> {
    const path = { deliveryId: id }
    await api.POST('/webhooks/deliveries/{deliveryId}/retry', { params: { path, header: newRequest() } })
    showDone(`“${typeWords(type)}” is sent again.`)
  }
  const label = state === 'delivered' ? 'Send again' : 'Retry'
  return (
    <ChangeButton size="xs" aria-label={`${label}: ${typeWords(type)}, message ${id}`} change={retry}>
      {label}
    </ChangeButton>
  )
}
