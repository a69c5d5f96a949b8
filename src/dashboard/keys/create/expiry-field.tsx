/** When a key stops working. */

import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'

const dayMs = 86_400_000
const choices = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'After a day that you choose' },
] as const

interface ExpiryFieldProps {
  readonly error: string | undefined
  /** Called with a time of the API; null for never, undefined while no day is chosen. */
  readonly onChange: (expiresAt: string | null | undefined) => void
}

/** The end of a day in this time zone. */
const endOf = (day: string): string => new Date(`${day}T23:59:59`).toISOString()

export function ExpiryField({ error, onChange }: ExpiryFieldProps) {
  const [choice, setChoice] = useState('')
  const [day, setDay] = useState('')

  function choose(value: string): void {
    setChoice(value)
    if (value === '') onChange(null)
    else if (value === 'day') onChange(day === '' ? undefined : endOf(day))
    else onChange(new Date(Date.now() + Number(value) * dayMs).toISOString())
  }

  return (
    <div>
      <NativeSelect
        label="Expires"
        description="Then it stops working by itself: good for a partner, or for a trial."
        value={choice}
        data={[...choices]}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {choice === 'day' && (
        <TextInput
          type="date"
          label="Last day"
          mt="xs"
          value={day}
          error={error}
          onChange={({ currentTarget: { value } }) => {
            setDay(value)
            onChange(value === '' ? undefined : endOf(value))
          }}
        />
      )}
    </div>
  )
}
