/** The form of a new key. */

import { SimpleGrid, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { createKept } from '../../session/kept.ts'
import { useIsShown } from '../../ui/feedback/use-is-shown.ts'
import { AccountField } from '../../ui/form/account-field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { nameProblem } from '../../ui/form/name.ts'
import { useTextField } from '../../ui/form/text-field.ts'
import { PlanFields } from '../plan-fields.tsx'
import { refreshKeys } from '../queries.ts'
import { accessChoices, isComplete, type PlanSettings, planBody, type Scope } from '../words.ts'
import { type Expiry, ExpiryField, expiresAtOf, noExpiry } from './expiry-field.tsx'
import { useIssuedKey } from './issued-key.tsx'
import { ScopeFields } from './scope-fields.tsx'

interface CreateFormProps {
  readonly accountId: number
  /** Called with the key if one was created, unless the form has been left before. */
  readonly onClose: (issued?: Schemas['IssuedKey']) => void
}

interface Draft {
  readonly account: number | undefined
  readonly plan: PlanSettings
  readonly granted: readonly Scope[]
  readonly expiry: Expiry
}

/** What was typed until the dialog was closed: "Back" and Esc lose nothing. */
const kept = createKept<Draft & { readonly name: string }>()

export function CreateForm({ accountId, onClose }: CreateFormProps) {
  const showIssued = useIssuedKey()
  const isShown = useIsShown()
  // What was typed for another account is not for this one.
  const [before] = useState(() => [kept.get()].find((one) => accountId === 0 || accountId === one?.account))
  const name = useTextField(before?.name)
  const [draft, setDraft] = useState<Draft>({
    account: accountId,
    plan: { plan: 'free', perMinute: 1_000, perDay: 100_000 },
    granted: accessChoices[0].scopes,
    expiry: noExpiry,
    ...before,
  })
  const { account, plan, granted, expiry } = draft
  const [wrong, setWrong] = useState<{
    readonly account?: string
    readonly scopes?: string
    readonly day?: string
    readonly limits?: true
  }>({})
  useEffect(() => kept.set({ ...draft, name: name.value }), [draft, name.value])

  function change(next: Partial<Draft>): void {
    setDraft((now) => ({ ...now, ...next }))
  }

  async function create(): Promise<void> {
    setWrong({})
    const problem = nameProblem(name.value, 'Enter a name, by which you will recognise the key.')
    if (problem !== undefined) return name.reject(problem)
    const expiresAt = expiresAtOf(expiry)
    if (account === undefined) return setWrong({ account: 'Choose an account.' })
    if (account === 0 && !isComplete(plan)) return setWrong({ limits: true })
    if (granted.length === 0) return setWrong({ scopes: 'Choose at least one permission.' })
    if (expiresAt === undefined) return setWrong({ day: 'Choose the last day on which the key works.' })
    if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
      return setWrong({ day: 'This day is over. Choose today or a later day.' })
    }
    const owner = account > 0 ? { accountId: account } : planBody(plan)
    const body = { name: name.value.trim(), ...owner, scopes: [...granted], expiresAt } as Schemas['NewKey']
    const sent = kept.get()
    const issued = await bodyOf(api.POST('/keys', { body }))
    showIssued(issued)
    // A later form may have other input.
    if (kept.get() === sent) kept.set(undefined)
    if (isShown()) onClose(issued)
    await refreshKeys()
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
        {...name.props}
        label="Name"
        description="Who or what will use it, such as Website or Paws & Co."
        autoComplete="off"
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <AccountField
          description="Whose key it is. Keys of an account share its limits and its orders."
          none="A new account with this name"
          value={account}
          onChange={(id) => change({ account: id })}
          error={wrong.account}
        />
        <ExpiryField value={expiry} onChange={(next) => change({ expiry: next })} error={wrong.day} />
      </SimpleGrid>
      {account === 0 && (
        <PlanFields value={plan} onChange={(next) => change({ plan: next })} isChecked={wrong.limits ?? false} />
      )}
      <ScopeFields value={granted} onChange={(scopes) => change({ granted: scopes })} error={wrong.scopes} />
    </Form>
  )
}
