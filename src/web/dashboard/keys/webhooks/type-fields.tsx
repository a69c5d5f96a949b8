/** The types of events that a webhook gets: a usual choice, or each type for itself. */

import { Checkbox, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { choiceOf, eventGroups, singleTypes, typeChoices } from './words.ts'
import '../keys.css'

/** The types appear below the visible part of the dialog. */
const scrollIntoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

interface TypeFieldsProps {
  readonly value: readonly string[]
  readonly onChange: (types: readonly string[]) => void
  readonly error: string | undefined
}

export function TypeFields({ value, onChange, error }: TypeFieldsProps) {
  const [choice, setChoice] = useState(choiceOf(value)?.id ?? 'own')
  const [isChosen, setChosen] = useState(false)

  function choose(next: string): void {
    setChoice(next)
    setChosen(true)
    const found = typeChoices.find(({ id }) => id === next)
    onChange(found?.types ?? singleTypes(value))
  }

  return (
    <Stack gap="sm">
      <Radio.Group label="It is told" value={choice} onChange={choose}>
        <Stack gap="xs" mt={6}>
          {typeChoices.map(({ id, label }) => (
            <Radio key={id} value={id} label={label} />
          ))}
          <Radio value="own" label="A choice of your own" />
        </Stack>
      </Radio.Group>
      {choice === 'own' && (
        <Checkbox.Group
          ref={isChosen ? scrollIntoView : undefined}
          label="Events"
          description="A program's manual calls them by the short names."
          value={singleTypes(value)}
          onChange={(next) => onChange(singleTypes(next))}
          error={error}
        >
          <Stack gap="xs" mt={6}>
            {eventGroups
              .flatMap(({ types }) => Object.entries(types))
              .map(([type, label]) => (
                <Checkbox
                  key={type}
                  value={type}
                  label={
                    <>
                      {label} <code className="scope-name">{type}</code>
                    </>
                  }
                />
              ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  )
}
