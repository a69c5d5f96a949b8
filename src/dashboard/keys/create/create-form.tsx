/** The form of a new key. */

import { Button, Group, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
import { accountsQuery } from '../queries.ts'
import { accessChoices, type Plan, planLabels, planLimits, plans, type Scope } from '../words.ts'
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
  const [name, setName] = useState('')
  const [account, setAccount] = useState(accountId)
  const [plan, setPlan] = useState<Plan>('free')
  const [limits, setLimits] = useState({ perMinute: 1_000, perDay: 100_000 })
  const [granted, setGranted] = useState<readonly Scope[]>(accessChoices[0].scopes)
  const [expiresAt, setExpiresAt] = useState<string | null | undefined>(null)
  const [wrong, setWrong] = useState<{ readonly name?: string; readonly scopes?: string; readonly day?: string }>({})
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const nameField = useRef<HTMLInputElement>(null)

  /** The problem of the first wrong field. */
  function problem(): typeof wrong | undefined {
    const length = [...name.trim()].length
    if (length === 0) return { name: 'Enter a name, by which you will recognise the key.' }
    if (length > longestName) return { name: `This name is too long. Use at most ${longestName} letters.` }
    if (granted.length === 0) return { scopes: 'Choose at least one permission.' }
    if (expiresAt === undefined) return { day: 'Choose the last day on which the key works.' }
    if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
      return { day: 'This day is over. Choose today or a later day.' }
    }
    return undefined
  }

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    setError(undefined)
    const found = problem()
    setWrong(found ?? {})
    if (found?.name !== undefined) nameField.current?.focus()
    if (found !== undefined) return
    setBusy(true)
    try {
      const owner = account > 0 ? { accountId: account } : { plan, ...(plan === 'enterprise' ? limits : {}) }
      await onCreate({
        name: name.trim(),
        ...owner,
        scopes: [...granted],
        expiresAt: expiresAt ?? null,
      } as Schemas['NewKey'])
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <TextInput
          ref={nameField}
          label="Name"
          description="Who or what will use it, such as Website or Paws & Co."
          value={name}
          error={wrong.name}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <NativeSelect
          label="Account"
          description="Keys of an account share its limits and its orders."
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
        {account === 0 && (
          <NativeSelect
            label="Plan"
            value={plan}
            onChange={({ currentTarget }) => setPlan(currentTarget.value as Plan)}
          >
            {plans.map((one) => (
              <option key={one} value={one}>{`${planLabels[one]}: ${planLimits[one]}`}</option>
            ))}
          </NativeSelect>
        )}
        {account === 0 && plan === 'enterprise' && (
          <Group grow>
            <Limit
              label="Requests a minute"
              value={limits.perMinute}
              onChange={(perMinute) => setLimits({ ...limits, perMinute })}
            />
            <Limit
              label="Requests a day"
              value={limits.perDay}
              onChange={(perDay) => setLimits({ ...limits, perDay })}
            />
          </Group>
        )}
        <ScopeFields value={granted} onChange={setGranted} error={wrong.scopes} />
        <ExpiryField error={wrong.day} onChange={setExpiresAt} />
        {error !== undefined && <FormError error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface LimitProps {
  readonly label: string
  readonly value: number
  readonly onChange: (value: number) => void
}

function Limit({ label, value, onChange }: LimitProps) {
  return (
    <NumberInput
      label={label}
      value={value}
      min={1}
      max={1_000_000_000}
      allowDecimal={false}
      hideControls
      onChange={(next) => onChange(Math.max(1, Number(next) || 1))}
    />
  )
}
