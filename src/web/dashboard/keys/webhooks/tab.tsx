/** Webhooks: the servers that are notified of what happens in the store. The address of the page can name one of them. */

import { Button, Modal, Table } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useLocation, useSearchParams } from 'wouter'
import { useAccountNames } from '../../api/accounts.ts'
import { idIn } from '../../ui/input.ts'
import { Moment } from '../../ui/moment.tsx'
import { Quiet } from '../../ui/small.ts'
import { Empty, Loaded, LoadingRows } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { OpeningRow, RecordTable, ShowMore, TableFrame, wide } from '../../ui/table.tsx'
import { EventsOnHold } from './events-on-hold.tsx'
import { OneWebhook } from './one-webhook.tsx'
import { webhooksQuery } from './queries.ts'
import { WebhookForm } from './webhook-form.tsx'
import { deliveryWords, nameOf, stateWords, typesWords, type Webhook } from './words.ts'

const list = '/keys/webhooks'
export const addressOf = (id: number): string => `${list}?webhook=${id}`

export function AddWebhook() {
  return (
    <Button component={Link} href={`${list}?add=1`} leftSection={<IconPlus size={16} />}>
      Add webhook
    </Button>
  )
}

export function WebhooksTab() {
  const [parameters] = useSearchParams()
  const [, navigate] = useLocation()
  const id = idIn(parameters, 'webhook')
  return (
    <>
      <EventsOnHold />
      {id > 0 ? (
        <OneWebhook key={id} id={id} list={list} onDeleted={() => navigate(list, { replace: true })} />
      ) : (
        <Webhooks />
      )}
      <Modal
        opened={parameters.has('add')}
        onClose={() => navigate(list, { replace: true })}
        title="Add webhook"
        size="lg"
      >
        <WebhookForm
          onClose={(created) => navigate(created === undefined ? list : addressOf(created.id), { replace: true })}
        />
      </Modal>
    </>
  )
}

function Webhooks() {
  const query = useInfiniteQuery(webhooksQuery)
  return (
    <Loaded query={query} loading={<LoadingRows rows={4} label="Loading the webhooks…" />}>
      {(webhooks) =>
        webhooks.length === 0 ? (
          <Empty
            icon={<IconWebhook size={28} />}
            title="No webhooks"
            text="A webhook notifies another server when something happens here, such as an order or a sale. Somebody has to write the program that receives the messages there."
            actions={<AddWebhook />}
          />
        ) : (
          <TableFrame>
            <WebhookTable webhooks={webhooks} />
            <ShowMore query={query} label="Show more webhooks" />
          </TableFrame>
        )
      }
    </Loaded>
  )
}

function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const accountName = useAccountNames(webhooks.map(({ accountId }) => accountId))
  return (
    <RecordTable
      columns={[
        'Webhook',
        // A long address leaves room for the other columns.
        ...['Account', 'Events', 'Last message'].map((title) => ({ ...wide(title), miw: '7rem' })),
        'State',
      ]}
    >
      {webhooks.map((webhook) => (
        <OpeningRow key={webhook.id}>
          <Table.Td>
            <Link href={addressOf(webhook.id)}>{nameOf(webhook)}</Link>
            <Quiet>{webhook.url}</Quiet>
            <Quiet hiddenFrom="sm">{typesWords(webhook.types)}</Quiet>
          </Table.Td>
          <Table.Td visibleFrom="sm">{accountName(webhook.accountId)}</Table.Td>
          <Table.Td visibleFrom="sm">{typesWords(webhook.types)}</Table.Td>
          <Table.Td visibleFrom="sm">
            {webhook.lastDelivery === null ? (
              'None yet'
            ) : (
              <>
                {deliveryWords(webhook.lastDelivery.state)[0]}{' '}
                <Moment time={webhook.lastDelivery.attemptedAt} isRelative />
              </>
            )}
          </Table.Td>
          <Table.Td>
            <Status of={stateWords(webhook.state)} />
          </Table.Td>
        </OpeningRow>
      ))}
    </RecordTable>
  )
}
