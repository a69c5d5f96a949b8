/** The permissions of a key: a usual choice, or each permission for itself. */

import { Checkbox, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { accessChoices, choiceOf, type Scope, scopeLabels, scopes } from './words.ts'
import './keys.css'

/** The permissions appear below the visible part of the dialog. */
const scrollIntoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

interface ScopeFieldsProps {
  readonly value: readonly Scope[]
  readonly onChange: (scopes: readonly Scope[]) => void
  readonly error: string | undefined
}

export function ScopeFields({ value, onChange, error }: ScopeFieldsProps) {
  const [choice, setChoice] = useState(choiceOf(value)?.id ?? 'own')
  const [isChosen, setChosen] = useState(false)

  function choose(next: string): void {
    setChoice(next)
    setChosen(true)
    const found = accessChoices.find(({ id }) => id === next)
    if (found !== undefined) onChange(found.scopes)
  }

  return (
    <Stack gap="sm">
      <Radio.Group label="May do" value={choice} onChange={choose}>
        <Stack gap="xs" mt={6}>
          {accessChoices.map(({ id, label, description }) => (
            <Radio key={id} value={id} label={label} description={description} />
          ))}
          <Radio value="own" label="A choice of your own" />
        </Stack>
      </Radio.Group>
      {choice === 'own' && (
        <Checkbox.Group
          ref={isChosen ? scrollIntoView : undefined}
          label="Permissions"
          description="A program's manual calls them by the short names."
          value={[...value]}
          onChange={(next) => onChange(scopes.filter((scope) => next.includes(scope)))}
          error={error}
        >
          <Stack gap="xs" mt={6}>
            {scopes.map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={
                  <>
                    {scopeLabels[scope]} <code className="scope-name">{scope}</code>
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
