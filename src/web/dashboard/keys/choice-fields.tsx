/** The permissions of a key, or the events of a webhook: a common choice, or single options. */

import { Checkbox, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Choice } from './words.ts'

/** The options appear below the visible part of the dialog. */
const scrollIntoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

interface ChoiceFieldsProps<T extends string> {
  readonly label: string
  readonly choices: readonly Choice<T>[]
  /** The choice that is made already; undefined for a custom one. */
  readonly chosen: Choice<T> | undefined
  readonly optionsLabel: string
  /** The short names that programs use, and their words. */
  readonly options: Readonly<Record<T, string>>
  /** The options that are chosen. */
  readonly value: readonly T[]
  readonly onChange: (values: readonly T[]) => void
  readonly error: string | undefined
}

export function ChoiceFields<T extends string>(props: ChoiceFieldsProps<T>) {
  const { label, choices, optionsLabel, options, value, onChange, error } = props
  const [choice, setChoice] = useState(props.chosen?.id ?? 'custom')
  const [isChosen, setChosen] = useState(false)
  const names = Object.keys(options) as T[]

  function choose(next: string): void {
    setChoice(next)
    setChosen(true)
    onChange(choices.find(({ id }) => id === next)?.values ?? value)
  }

  return (
    <Stack gap="sm">
      <Radio.Group label={label} value={choice} onChange={choose}>
        <Stack gap="xs" mt={6}>
          {choices.map(({ id, label, description }) => (
            <Radio key={id} value={id} label={label} description={description} />
          ))}
          <Radio value="custom" label="Custom" />
        </Stack>
      </Radio.Group>
      {choice === 'custom' && (
        <Checkbox.Group
          ref={isChosen ? scrollIntoView : undefined}
          label={optionsLabel}
          description="Manuals of programs use the short names."
          value={[...value]}
          onChange={(next) => onChange(names.filter((name) => next.includes(name)))}
          error={error}
        >
          <Stack gap="xs" mt={6}>
            {names.map((name) => (
              <Checkbox
                key={name}
                value={name}
                label={
                  <>
                    {options[name]}{' '}
                    <Text component="code" ff="monospace" c="dimmed" fz="xs" style={{ whiteSpace: 'nowrap' }}>
                      {name}
                    </Text>
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
