/** Changes the plan of an account. */

import { Button, Group, Modal, NativeSelect, NumberInput, Stack } from '@mantine/core'
import { useState } from 'react'
import { api, type Schemas } from '../../api/client.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
import { showDone } from '../../ui/feedback/notices.ts'
import { refreshKeys } from '../queries.ts'
import { type Account, type Plan, planLabels, planLimits, plans } from '../words.ts'

interface ChangePlanProps {
  readonly target: Account | undefined
  readonly onClose: () => void
}

export function ChangePlan({ target, onClose }: ChangePlanProps) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} title={`Plan of ${target?.name ?? ''}`}>
      {target !== undefined && <Form key={target.id} account={target} onClose={onClose} />}
    </Modal>
  )
}

function Form({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const [plan, setPlan] = useState<Plan>(account.plan)
  const [perMinute, setPerMinute] = useState(account.perMinute)
  const [perDay, setPerDay] = useState(account.perDay)
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)

  async function save(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      const body = { plan, ...(plan === 'enterprise' ? { perMinute, perDay } : {}) } as Schemas['AccountChange']
      await api.PATCH('/accounts/{accountId}', { params: { path: { accountId: account.id } }, body })
      showDone(`${account.name} is on the plan ${planLabels[plan]} now.`)
      await refreshKeys()
      onClose()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  const limit = (label: string, value: number, set: (value: number) => void) => (
    <NumberInput
      label={label}
      value={value}
      min={1}
      max={1_000_000_000}
      allowDecimal={false}
      hideControls
      onChange={(next) => set(Math.max(1, Number(next) || 1))}
    />
  )

  return (
    <Stack>
      <NativeSelect
        label="Plan"
        description="It holds from the next request."
        value={plan}
        data-autofocus
        onChange={({ currentTarget }) => setPlan(currentTarget.value as Plan)}
      >
        {plans.map((one) => (
          <option key={one} value={one}>{`${planLabels[one]}: ${planLimits[one]}`}</option>
        ))}
      </NativeSelect>
      {plan === 'enterprise' && (
        <Group grow>
          {limit('Requests a minute', perMinute, setPerMinute)}
          {limit('Requests a day', perDay, setPerDay)}
        </Group>
      )}
      {error !== undefined && <FormError error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void save()}>
          Change plan
        </Button>
      </Group>
    </Stack>
  )
}
