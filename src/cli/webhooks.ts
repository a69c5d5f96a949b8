/** `petstore webhooks …`: creates webhooks, shows what became of their deliveries, and delivers again. */

import { typePatterns } from '../access/events/rules.ts'
import { maximumId } from '../api/schemas.ts'
import { list, oneOf, text, UsageError, wholeNumber } from '../config/values.ts'
import { parseTime } from '../lib/duration.ts'
import { printable } from '../lib/log.ts'
import type { Delivery, TestResult, Webhook } from '../operate/webhooks/schemas.ts'
import { deliveryStates, orderChoices } from '../operate/webhooks/table.ts'
import { idOf } from './arguments.ts'
import { withAdvice, withClient } from './client.ts'
import type { Command, Invocation } from './command.ts'
import { selectionOptions } from './events.ts'
import { ago, type Cell, formatTable, localTime, plural, print } from './output.ts'
import { assertShown, printOnce } from './print-once.ts'
import { onStore } from './shell-words.ts'

const advice = 'See: petstore webhooks list'

export const webhooksCreate: Command = {
  name: 'webhooks create',
  summary: 'have events sent to a URL',
  details:
    'The secret that signs the deliveries is the first line of the output, shown once. Only https on the public internet, and the networks of serve --webhook-network, are allowed.',
  operands: 'URL',
  arity: [1, 1],
  options: {
    types: {
      ...selectionOptions.types,
      help: 'the types of events; pet.* stands for all that begin with pet.; repeatable, or several separated by commas',
      default: 'required',
    },
    orders: {
      type: 'string',
      value: 'WHOSE',
      help: 'whose order events: those of its account, or all',
      default: 'own',
      choices: orderChoices,
    },
    description: { type: 'string', value: 'TEXT', help: 'what it is for', default: 'none' },
    account: { type: 'string', value: 'ID', help: 'the account that it belongs to', default: "the store's own" },
  },
  changesStore: true,
  examples: [
    "webhooks create https://partner.example/hook --types 'pet.*,order.placed'",
    'webhooks create https://till.example/hook --types order.placed --orders all --json',
  ],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const types = list(values, 'types').map((type) => oneOf('types', typePatterns, type))
    if (types.length === 0) {
      throw new UsageError("--types is missing: petstore webhooks create URL --types 'pet.*,order.placed'.")
    }
    const [orders, description, account] = [
      text(values, 'orders'),
      text(values, 'description'),
      text(values, 'account'),
    ]
    const body = {
      url: positionals[0],
      types,
      ...(orders === undefined ? {} : { orders: oneOf('orders', orderChoices, orders) }),
      ...(description === undefined ? {} : { description }),
      ...(account === undefined ? {} : { accountId: idOf('--account', account) }),
    }
    assertShown(terminal, 'the secret')
    await withClient(invocation, async (client) => {
      const created = await client.call<Webhook & { readonly secret: string }>('POST', '/webhooks', body)
      const { id, secret, url } = created
      const lines = `${secret}\nWebhook ${id} sends ${printable(types.join(', '))} to ${printable(url)}. The secret is not shown again.\n`
      const undo = () => client.call<void>('DELETE', `/webhooks/${id}`)
      await printOnce(
        terminal,
        values['json'] ? `${JSON.stringify(created)}\n` : lines,
        undo,
        'The webhook was deleted.',
      )
    })
    return 0
  },
}

export const webhooksList: Command = {
  name: 'webhooks list',
  summary: 'list the webhooks',
  details: 'PENDING is the number of events that are still to be delivered. --json prints everything.',
  examples: ['webhooks list', 'webhooks list --json'],
  async run(invocation: Invocation) {
    const webhooks = await withClient(invocation, (client) => client.all<Webhook>('/webhooks'))
    const none = `There are no webhooks yet. Create one with: ${onStore(invocation, "petstore webhooks create URL --types 'pet.*'")}`
    print(invocation, webhooks, webhooks.length > 0 ? webhookTable(webhooks, invocation, Date.now()) : none)
    return 0
  },
}

const stateColours = { working: 'green', failing: 'red', resting: 'yellow', disabled: 'dim' } as const

function webhookTable(webhooks: readonly Webhook[], { terminal }: Invocation, nowMs: number): string {
  const rows = webhooks.map(({ id, accountId, url, types, state, pending, lastDelivery }) => [
    String(id),
    String(accountId),
    url,
    types.join(','),
    { text: state, colour: stateColours[state] } satisfies Cell,
    String(pending),
    lastDelivery === null ? 'never' : `${lastDelivery.state} ${ago(lastDelivery.attemptedAt, nowMs)}`,
  ])
  return formatTable(
    [
      { title: 'ID', align: 'right' },
      { title: 'ACCOUNT', align: 'right' },
      { title: 'URL', minimum: 16 },
      { title: 'TYPES', minimum: 8 },
      { title: 'STATE' },
      { title: 'PENDING', align: 'right' },
      { title: 'LAST DELIVERY' },
    ],
    rows,
    terminal,
  )
}

export const webhooksTest: Command = {
  name: 'webhooks test',
  summary: 'send a test event, and show what came of it',
  details: 'Exits with 1 if it was not delivered.',
  operands: 'ID',
  arity: [1, 1],
  examples: ['webhooks test 1', 'webhooks test 1 --json'],
  async run(invocation: Invocation) {
    const id = idOf('ID', invocation.positionals[0])
    const result = await withClient(invocation, (client) =>
      withAdvice(client.call<TestResult>('POST', `/webhooks/${id}/test`), advice),
    )
    const { delivered, status, durationMs, error, response } = result
    print(
      invocation,
      result,
      delivered
        ? [`Delivered: the receiver answered ${status} after ${durationMs} ms.`]
        : [`Not delivered. ${error}`, ...(response ? [`It said: ${response}`] : [])],
    )
    return delivered ? 0 : 1
  },
}

export const webhooksDeliveries: Command = {
  name: 'webhooks deliveries',
  summary: 'list the deliveries of a webhook, the newest first',
  details:
    'ID is that of the webhook. Times are in the time zone of this machine. --json prints everything, also what was answered.',
  operands: 'ID',
  arity: [1, 1],
  options: {
    state: {
      type: 'string',
      value: 'STATE',
      help: 'only deliveries in this state',
      default: 'all',
      choices: deliveryStates,
    },
    limit: { type: 'string', value: 'N', help: 'at most this number of deliveries, up to 100', default: '20' },
  },
  examples: ['webhooks deliveries 1', 'webhooks deliveries 1 --state failed --json'],
  async run(invocation: Invocation) {
    const { values, positionals } = invocation
    const id = idOf('ID', positionals[0])
    const state = text(values, 'state')
    const limit = wholeNumber('--limit', text(values, 'limit') ?? '20', 1, 100)
    const query = new URLSearchParams({
      limit: String(limit),
      ...(state === undefined ? {} : { state: oneOf('state', deliveryStates, state) }),
    })
    const deliveries = await withClient(invocation, (client) =>
      withAdvice(client.call<Delivery[]>('GET', `/webhooks/${id}/deliveries?${query}`), advice),
    )
    const none = 'There are no deliveries.'
    print(invocation, deliveries, deliveries.length > 0 ? deliveryTable(deliveries, invocation) : none)
    return 0
  },
}

function deliveryTable(deliveries: readonly Delivery[], { terminal }: Invocation): string {
  const rows = deliveries.map((delivery) => [
    String(delivery.id),
    String(delivery.eventId),
    delivery.type,
    { text: delivery.state, colour: delivery.state === 'delivered' ? 'green' : 'red' } satisfies Cell,
    String(delivery.attempts),
    localTime(delivery.attemptedAt),
    delivery.nextAttemptAt === null ? '' : localTime(delivery.nextAttemptAt),
    delivery.error ?? '',
  ])
  return formatTable(
    [
      { title: 'ID', align: 'right' },
      { title: 'EVENT' },
      { title: 'TYPE' },
      { title: 'STATE' },
      { title: 'ATTEMPTS', align: 'right' },
      { title: 'LAST' },
      { title: 'NEXT' },
      { title: 'ERROR', minimum: 16 },
    ],
    rows,
    terminal,
  )
}

export const webhooksRetry: Command = {
  name: 'webhooks retry',
  summary: 'deliver the event of a delivery again',
  details: 'ID is that of the delivery. The server delivers it as soon as possible, also if it was delivered before.',
  operands: 'ID',
  arity: [1, 1],
  changesStore: true,
  examples: ['webhooks retry 9', 'webhooks retry 9 --json'],
  async run(invocation: Invocation) {
    const id = idOf('ID', invocation.positionals[0])
    const delivery = await withClient(invocation, (client) =>
      withAdvice(
        client.call<Delivery>('POST', `/webhooks/deliveries/${id}/retry`),
        'See: petstore webhooks deliveries ID',
      ),
    )
    print(invocation, delivery, [`Event ${delivery.eventId} (${delivery.type}) is delivered again.`])
    return 0
  },
}

export const webhooksReplay: Command = {
  name: 'webhooks replay',
  summary: 'deliver again all events since an event or a time',
  details:
    'ID is that of the webhook. The events have the same ids as before, so that the receiver can recognise them.',
  operands: 'ID',
  arity: [1, 1],
  options: {
    after: {
      type: 'string',
      value: 'ID',
      help: 'the events after this one; 0 stands for the oldest',
      default: 'none',
      excludes: ['since'],
    },
    since: {
      type: 'string',
      value: 'TIME',
      help: 'the events since this time, such as 2026-11-24T00:00:00Z',
      default: 'none',
    },
  },
  changesStore: true,
  examples: ['webhooks replay 1 --since 2026-11-24T00:00:00Z', 'webhooks replay 1 --after 1795169700000000'],
  async run(invocation: Invocation) {
    const { values, positionals } = invocation
    const id = idOf('ID', positionals[0])
    const [after, since] = [text(values, 'after'), text(values, 'since')]
    if ((after === undefined) === (since === undefined)) throw new UsageError('Give either --after or --since.')
    if (since !== undefined && parseTime(since) === undefined) {
      throw new UsageError(`--since must be a time such as 2026-11-24T00:00:00Z, not "${since}".`)
    }
    const body = after === undefined ? { since } : { after: wholeNumber('--after', after, 0, maximumId) }
    const result = await withClient(invocation, (client) =>
      withAdvice(client.call<{ deliveries: number }>('POST', `/webhooks/${id}/replay`, body), advice),
    )
    print(invocation, result, [`${plural(result.deliveries, 'event')} will be delivered.`])
    return 0
  },
}

export const webhooksRemove: Command = {
  name: 'webhooks remove',
  summary: 'delete a webhook, and the record of its deliveries',
  operands: 'ID',
  arity: [1, 1],
  changesStore: true,
  examples: ['webhooks remove 1', 'webhooks remove 1 --json'],
  async run(invocation: Invocation) {
    const id = idOf('ID', invocation.positionals[0])
    const webhook = await withClient(invocation, async (client) => {
      const before = await withAdvice(client.call<Webhook>('GET', `/webhooks/${id}`), advice)
      await client.call('DELETE', `/webhooks/${id}`)
      return before
    })
    print(invocation, webhook, [`Deleted webhook ${id}: nothing is sent to ${webhook.url} any more.`])
    return 0
  },
}
