/** The plan of an account, with the custom limits of an Enterprise account. */

import { Group, NativeSelect, NumberInput } from '@mantine/core'
import { isLimit, type Plan, type PlanSettings, plans } from './words.ts'

interface PlanFieldsProps {
  readonly value: PlanSettings
  readonly onChange: (value: PlanSettings) => void
  /** Whether to say which limits are missing. */
  readonly isChecked: boolean
  readonly isFirst?: boolean
}

export function PlanFields({ value, onChange, isChecked, isFirst = false }: PlanFieldsProps) {
  return (
    <>
      <NativeSelect
        label="Plan"
        description={`How often programs may use the store. ${plans[value.plan].details}`}
        value={value.plan}
        data-autofocus={isFirst || undefined}
        onChange={({ currentTarget }) => onChange({ ...value, plan: currentTarget.value as Plan })}
      >
        {Object.entries(plans).map(([plan, { label, limits }]) => (
          <option key={plan} value={plan}>{`${label}: ${limits}`}</option>
        ))}
      </NativeSelect>
      {value.plan === 'enterprise' && (
        <Group grow>
          <Limit
            label="Requests a minute"
            value={value.perMinute}
            onChange={(perMinute) => onChange({ ...value, perMinute })}
            isChecked={isChecked}
          />
          <Limit
            label="Requests a day"
            value={value.perDay}
            onChange={(perDay) => onChange({ ...value, perDay })}
            isChecked={isChecked}
          />
        </Group>
      )}
    </>
  )
}

interface LimitProps {
  readonly label: string
  readonly value: number | ''
  readonly onChange: (value: number | '') => void
  readonly isChecked: boolean
}

function Limit({ label, value, onChange, isChecked }: LimitProps) {
  return (
    <NumberInput
      label={label}
      value={value}
      min={1}
      max={1_000_000_000}
      allowDecimal={false}
      allowNegative={false}
      hideControls
      error={isChecked && !isLimit(value) ? 'Enter a number of at least 1.' : undefined}
      onChange={(next) => onChange(next === '' ? '' : Number(next))}
    />
  )
}
