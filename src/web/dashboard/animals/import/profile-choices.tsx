/** What becomes of animals that are there already, of unclear dates, and of other columns. */

import { Checkbox, NativeSelect, SimpleGrid, Text } from '@mantine/core'
import { Unused } from './check-words.tsx'
import type { Reading, Result } from './mapping.ts'

interface ProfileChoicesProps {
  readonly result: Result
  readonly reading: Reading
  /** The columns of which nothing is imported. */
  readonly unused: readonly string[]
  readonly onChange: (reading: Reading) => void
}

export function ProfileChoices({ result, reading, unused, onChange }: ProfileChoicesProps) {
  const { mapping, isUpdate, dates, keepsOthers } = reading
  const areDatesUnclear = dates !== undefined || result.unreadValues.some(({ message }) => message.includes(' dates='))
  const hasNumber = Boolean(mapping.number)
  const asksForDates = Boolean(mapping.birthDate) && areDatesUnclear
  return (
    <>
      {(hasNumber || asksForDates) && (
        <SimpleGrid minColWidth="20rem" autoFlow="auto-fill">
          {hasNumber && (
            <NativeSelect
              label="An animal whose number you already have"
              data={[
                { value: 'skip', label: 'stays as it is' },
                { value: 'update', label: 'is changed by the file' },
              ]}
              value={isUpdate ? 'update' : 'skip'}
              onChange={({ currentTarget: { value } }) => onChange({ ...reading, isUpdate: value === 'update' })}
            />
          )}
          {asksForDates && (
            <NativeSelect
              label="Dates such as 03/04/2024"
              data={[
                { value: '', label: 'Leave them out' },
                { value: 'dmy', label: 'begin with the day' },
                { value: 'mdy', label: 'begin with the month' },
              ]}
              value={dates ?? ''}
              onChange={({ currentTarget: { value } }) =>
                onChange({ ...reading, dates: value === 'dmy' || value === 'mdy' ? value : undefined })
              }
            />
          )}
        </SimpleGrid>
      )}
      {!keepsOthers && (
        <Text className="breaks">
          <Unused columns={unused} />
        </Text>
      )}
      {unused.length > 0 && (
        <Checkbox
          label="Keep the other columns as facts about each animal"
          description="At most 20 for each animal. They are shown on its page, and in the web shop."
          checked={keepsOthers}
          onChange={({ currentTarget: { checked } }) => onChange({ ...reading, keepsOthers: checked })}
        />
      )}
    </>
  )
}
