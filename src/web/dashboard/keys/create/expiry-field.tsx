/** When a key stops working. */

import { NativeSelect, TextInput } from '@mantine/core'
import { endOfDay, lastDay } from '../../ui/form/day.ts'

const dayMs = 86_400_000
const choices = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'After a day that you choose' },
] as const

/** What is chosen in the field. */
export interface Expiry {
  readonly choice: (typeof choices)[number]['value']
  /** The last day, as a field of dates writes it; empty while none is chosen. */
  readonly day: string
}

export const noExpiry: Expiry = { choice: '', day: '' }

/** A time of the API; null for never, undefined while no day is chosen. */
export function expiresAtOf({ choice, day }: Expiry): string | null | undefined {
  if (choice === '') return null
  if (choice !== 'day') return new Date(Date.now() + Number(choice) * dayMs).toISOString()
  return endOfDay(day)
}

interface ExpiryFieldProps {
  readonly value: Expiry
  readonly onChange: (expiry: Expiry) => void
  readonly error: string | undefined
}

export function ExpiryField({ value, onChange, error }: ExpiryFieldProps) {
  return (
    <div>
      <NativeSelect
        label="Expires"
        description="Then it stops working by itself: good for a partner, or for a trial."
        value={value.choice}
        data={[...choices]}
        onChange={({ currentTarget }) => onChange({ ...value, choice: currentTarget.value as Expiry['choice'] })}
      />
      {value.choice === 'day' && (
        <TextInput
          type="date"
          max={lastDay}
          label="Last day"
          mt="xs"
          value={value.day}
          error={error}
          onChange={({ currentTarget }) => onChange({ ...value, day: currentTarget.value })}
        />
      )}
    </div>
  )
}
