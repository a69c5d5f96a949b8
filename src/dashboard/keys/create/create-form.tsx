/** The form of a new key. */

import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountsQuery } from '../../api/accounts.ts'
import type { Schemas } from '../../api/client.ts'
import { Form } from '../../ui/form/form.tsx'
import { useTextField } from '../../ui/form/text-field.ts'
import { PlanFields } from '../plan-fields.tsx'
import { accessChoices, type PlanSettings, planBody, type Scope } from '../words.ts'
import { ExpiryField } from './expiry-field.tsx'
import { ScopeFields } from './scope-fields.tsx'

interface CreateFormProps {
  readonly accountId: number
  readonly onCreate: (key: Schemas['NewKey']) => Promise<void>
  readonly onCancel: () => void
}

const longestName = 100

export function CreateForm({ accountId, onCreate, onCancel }: CreateFormProps) {
  const { data: accounts = [] } = useQuery(accountsQuery)
  const name = useTextField()
  const [account, setAccount] = useState(accountId)
  const [plan, setPlan] = useState<PlanSettings>({ plan: 'free', perMinute: 1_000, perDay: 100_000 })
  const [granted, setGranted] = useState<readonly Scope[]>(accessChoices[0].scopes)
  const [expiresAt, setExpiresAt] = useState<string | null | undefined>(null)
  const [wrong, setWrong] = useState<{ readonly scopes?: string; readonly day?: string }>({})

  async function create(): Promise<void> {
    const trimmed = name.value.trim()
    setWrong({})
    if (trimmed === '') return name.reject('Enter a name, by which you will recognise the key.')
    if ([...trimmed].length > longestName) {
      return name.reject(`This name is too long. Use at most ${longestName} letters.`)
    }
    if (granted.length === 0) return setWrong({ scopes: 'Choose at least one permission.' })
    if (expiresAt === undefined) return setWrong({ day: 'Choose the last day on which the key works.' })
    if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
      return setWrong({ day: 'This day is over. Choose today or a later day.' })
    }
    const owner = account > 0 ? { accountId: account } : planBody(plan)
    await onCreate({ name: trimmed, ...owner, scopes: [...granted], expiresAt } as Schemas['NewKey'])
  }

  return (
    <Form onSubmit={create} action="Create key" onCancel={onCancel}>
      <TextInput
        {...name.props}
        label="Name"
        description="Who or what will use it, such as Website or Paws & Co."
        autoComplete="off"
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Account"
          description="Whose key it is. Keys of an account share its limits and its orders."
          value={account}
          onChange={({ currentTarget }) => setAccount(Number(currentTarget.value))}
        >
          <option value={0}>A new account with this name</option>
          {accounts.map(({ id, name: known }) => (
            <option key={id} value={id}>
              {known}
            </option>
          ))}
        </NativeSelect>
        <ExpiryField error={wrong.day} onChange={setExpiresAt} />
      </SimpleGrid>
      {account === 0 && <PlanFields value={plan} onChange={setPlan} />}
      <ScopeFields value={granted} onChange={setGranted} error={wrong.scopes} />
    </Form>
  )
}
