/** The form of a new key. */

import { NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { createKept } from '../session/session.ts'
import { AccountField } from '../ui/account-field.tsx'
import { Form, useFields } from '../ui/form.tsx'
import { endOfDay, lastDay, nameProblem } from '../ui/input.ts'
import { ChoiceFields } from './choice-fields.tsx'
import { showIssuedKey } from './issued-key.tsx'
import { PlanFields } from './plan-fields.tsx'
import { accessChoices, choiceOf, isComplete, type PlanSettings, planBody, type Scope, scopeLabels } from './words.ts'

interface Draft {
  readonly name: string
  /** 0 for a new account; undefined while none is chosen. */
  readonly account: number | undefined
  readonly plan: PlanSettings
  readonly scopes: readonly Scope[]
  readonly expiry: string
  /** The last day, as a field of dates writes it; it counts for the expiry "day". */
  readonly day: string
}

const empty: Draft = {
  name: '',
  account: 0,
  plan: { plan: 'free', perMinute: 1_000, perDay: 100_000 },
  scopes: accessChoices[0].values,
  expiry: '',
  day: '',
}

/** What was typed until the dialog was closed: "Back" and Esc lose nothing. */
const kept = createKept<Draft>()

const dayMs = 86_400_000
const expiries = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'After a day you choose' },
]

/** When the key stops working, as a time of the API; null for never, undefined while no day is chosen. */
function expiresAtOf({ expiry, day }: Draft): string | null | undefined {
  if (expiry === '') return null
  if (expiry !== 'day') return new Date(Date.now() + Number(expiry) * dayMs).toISOString()
  return endOfDay(day)
}

function problemsOf(draft: Draft) {
  const expiresAt = expiresAtOf(draft)
  const isOver = expiresAt != null && Date.parse(expiresAt) <= Date.now()
  const unlimited = draft.account === 0 && !isComplete(draft.plan)
  return {
    name: nameProblem(draft.name, 'Enter a name by which you will recognise the key.'),
    account: draft.account === undefined ? 'Choose an account.' : undefined,
    plan: unlimited ? 'Enter both limits.' : undefined,
    scopes: draft.scopes.length === 0 ? 'Choose at least one permission.' : undefined,
    day:
      expiresAt === undefined
        ? 'Choose the last day on which the key works.'
        : isOver
          ? 'This day is over. Choose today or a later day.'
          : undefined,
  }
}

interface CreateFormProps {
  /** The account that is chosen already; 0 for none. */
  readonly accountId: number
  /** Called with the key if one was created, unless the form has been left before. */
  readonly onClose: (issued?: Schemas['IssuedKey']) => void
}

export function CreateForm({ accountId, onClose }: CreateFormProps) {
  const { values, wrong, of, change, reject } = useFields<Draft>(() => {
    const before = kept.get()
    // What was typed for another account is not for this one.
    if (before !== undefined && (accountId === 0 || accountId === before.account)) return before
    return { ...empty, account: accountId }
  }, kept.set)

  async function create(isShown: () => boolean): Promise<void> {
    if (reject(problemsOf(values))) return
    const { account, plan, scopes } = values
    const owner = account ? { accountId: account } : planBody(plan)
    const body = { name: values.name.trim(), ...owner, scopes: [...scopes], expiresAt: expiresAtOf(values) }
    const issued = await bodyOf(api.POST('/keys', { body: body as Schemas['NewKey'] }))
    showIssuedKey(issued)
    // A later form may have other input.
    if (kept.get() === values) kept.set(undefined)
    if (isShown()) onClose(issued)
  }

  return (
    <Form
      onSubmit={create}
      action="Create key"
      onCancel={() => {
        kept.set(undefined)
        onClose()
      }}
    >
      <Text>
        A key is for a program, such as the website of a partner. A partner cannot sign in here with it, and needs
        somebody who writes the program.
      </Text>
      <TextInput
        {...of('name')}
        label="Name"
        description="Who or what will use it, such as Website or Paws & Co."
        autoComplete="off"
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <AccountField
          description="The account that the key belongs to. All keys of an account share its limits and orders."
          none="A new account with this name"
          value={values.account}
          onChange={(account) => change({ account })}
          error={wrong.account}
        />
        <div>
          <NativeSelect
            {...of('expiry')}
            label="Expires"
            description="The key stops working then, for instance after a trial."
            data={expiries}
          />
          {values.expiry === 'day' && <TextInput {...of('day')} type="date" max={lastDay} label="Last day" mt="xs" />}
        </div>
      </SimpleGrid>
      {values.account === 0 && (
        <PlanFields value={values.plan} onChange={(plan) => change({ plan })} isChecked={wrong.plan !== undefined} />
      )}
      <ChoiceFields
        label="Permissions"
        choices={accessChoices}
        chosen={choiceOf(values.scopes)}
        optionsLabel="Custom permissions"
        options={scopeLabels}
        value={values.scopes}
        onChange={(scopes) => change({ scopes })}
        error={wrong.scopes}
      />
    </Form>
  )
}
