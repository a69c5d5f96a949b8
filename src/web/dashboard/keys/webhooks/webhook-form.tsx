/** The form of a webhook: of a new one, or of one that is changed. */

import { NativeSelect, Text, TextInput } from '@mantine/core'
import { api, bodyOf } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { createKept, useSession } from '../../session/session.ts'
import { AccountField } from '../../ui/account-field.tsx'
import { Form, useFields } from '../../ui/form.tsx'
import { isolated } from '../../ui/format.ts'
import { defined } from '../../ui/input.ts'
import { showDone } from '../../ui/notices.tsx'
import { ChoiceFields } from '../choice-fields.tsx'
import { choiceWith } from '../words.ts'
import { showWebhookSecret } from './secret.tsx'
import { includesOrders, nameOf, singleTypes, typeChoices, typeLabels, type Webhook } from './words.ts'

interface Draft {
  readonly url: string
  readonly description: string
  readonly account: number | undefined
  readonly types: readonly string[]
  readonly orders: string
}

/** What was typed for a new webhook until the dialog was closed. */
const kept = createKept<Draft>()

const longestDescription = 200

function problemsOf({ url, description, account, types }: Draft) {
  return {
    url: /^https?:\/\/\S+$/i.test(url.trim())
      ? undefined
      : 'Enter an address that begins with https://, as the programmer gave it to you.',
    description:
      [...description.trim()].length > longestDescription
        ? `This is too long. Use at most ${longestDescription} letters.`
        : undefined,
    account: account === undefined ? 'Choose an account.' : undefined,
    types: types.length === 0 ? 'Choose at least one event.' : undefined,
  }
}

/** The reason why the store rejected the address, which it calls `url`; undefined if it rejected something else. */
function addressProblem(error: unknown): string | undefined {
  if (!isApiError(error, 'invalid_body')) return undefined
  const [, isSentence, text] = /^url(: )?(.*)$/s.exec(error.message) ?? []
  return text && (isSentence ? text : `The address${text}`)
}

const bodyOfDraft = ({ url, description, types, orders }: Draft) => ({
  url: url.trim(),
  description: description.trim() === '' ? null : description.trim(),
  types: [...types],
  orders: orders === 'all' ? ('all' as const) : ('own' as const),
})

interface WebhookFormProps {
  /** Undefined for a new one. */
  readonly webhook?: Webhook
  /** Called with the webhook if it was created, unless the form has been left before. */
  readonly onClose: (created?: Webhook) => void
}

export function WebhookForm({ webhook, onClose }: WebhookFormProps) {
  const own = useSession().account
  const isNew = webhook === undefined
  const { values, wrong, of, change, reject } = useFields<Draft>(
    () => {
      if (webhook !== undefined) {
        const { url, description, accountId, types, orders } = webhook
        return { url, description: description ?? '', account: accountId, types, orders }
      }
      const empty = { url: '', description: '', account: own.id, types: typeChoices[0].values, orders: 'all' }
      return kept.get() ?? empty
    },
    isNew ? kept.set : undefined,
  )

  async function save(isShown: () => boolean): Promise<void> {
    if (reject(problemsOf(values))) return
    try {
      await send(isShown)
    } catch (error) {
      const url = addressProblem(error)
      if (url === undefined) throw error
      reject({ url })
    }
  }

  async function send(isShown: () => boolean): Promise<void> {
    if (webhook !== undefined) {
      const path = { webhookId: webhook.id }
      const changed = await bodyOf(api.PATCH('/webhooks/{webhookId}', { params: { path }, body: bodyOfDraft(values) }))
      showDone(`The webhook “${isolated(nameOf(changed))}” is changed.`)
      if (isShown()) onClose()
      return
    }
    const body = { ...bodyOfDraft(values), enabled: true, ...defined({ accountId: values.account }) }
    const created = await bodyOf(api.POST('/webhooks', { body }))
    showWebhookSecret(created)
    if (kept.get() === values) kept.set(undefined)
    if (isShown()) onClose(created)
  }

  return (
    <Form
      onSubmit={save}
      action={isNew ? 'Add webhook' : 'Change webhook'}
      onCancel={() => {
        if (isNew) kept.set(undefined)
        onClose()
      }}
    >
      {isNew && (
        <Text>
          The store notifies another server when something happens here. Somebody has to write the program that receives
          the messages there, and gives you its address.
        </Text>
      )}
      <TextInput
        {...of('url')}
        label="Address"
        description="Where the store sends its messages, such as https://partner.example/hook."
        type="url"
        inputMode="url"
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        {...of('description')}
        label="Description"
        description="What it is for, such as Newsletter. Optional."
        autoComplete="off"
      />
      {isNew && (
        <AccountField
          value={values.account}
          onChange={(account) => change({ account })}
          error={wrong.account}
          description="The account that the webhook belongs to."
        />
      )}
      <ChoiceFields
        label="Events to send"
        choices={typeChoices}
        chosen={choiceWith(typeChoices, values.types)}
        optionsLabel="Custom events"
        options={typeLabels}
        value={singleTypes(values.types)}
        onChange={(types) => change({ types })}
        error={wrong.types}
      />
      {includesOrders(values.types) && (
        <NativeSelect
          {...of('orders')}
          label="Orders"
          data={[
            { value: 'all', label: 'All orders of the store' },
            { value: 'own', label: 'Only the orders of its account' },
          ]}
        />
      )}
    </Form>
  )
}
