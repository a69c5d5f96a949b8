/** A field in which one of many records is chosen by a part of its name. The choices are fetched during typing. */

import { Select, type SelectProps } from '@mantine/core'
import { type SyntheticEvent, useLayoutEffect, useRef, useState } from 'react'

/** The number of records that are offered at a time. */
export const offered = 20

export interface Choice {
  readonly value: string
  readonly label: string
}

interface SearchSelectProps
  extends Pick<SelectProps, 'label' | 'aria-label' | 'description' | 'error' | 'allowDeselect'> {
  readonly 'data-autofocus'?: boolean
  readonly value: string | undefined
  /** The record of the value. It may be known late, or not be among the choices. */
  readonly chosen: Choice | undefined
  /** The records that fit the typed text; undefined while they are fetched. */
  readonly choices: readonly Choice[] | undefined
  /** Said where none fits. */
  readonly nothing: string
  readonly placeholder: string
  /** Called with the typed text; an empty text stands for all. */
  readonly onType: (text: string) => void
  /** Called with undefined when something else is typed. If the value stays, its name returns when the field is left. */
  readonly onChoose: (value: string | undefined) => void
}

export function SearchSelect(props: SearchSelectProps) {
  const { value, chosen, choices, nothing, onType, onChoose, ...field } = props
  const [picked, setPicked] = useState<Choice>()
  const [text, setText] = useState('')
  const current = picked?.value === value ? picked : chosen
  // The name may be known late, and change: it replaces the earlier one, unless something else was typed.
  const [shown, setShown] = useState(current?.label)
  if (shown !== current?.label) {
    if (text === shown) setText(current?.label ?? '')
    setShown(current?.label)
  }
  const isUntouched = text === '' || text === current?.label

  // A new value of an input ends the selection in it.
  const input = useRef<HTMLInputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: typed text must stay unselected
  useLayoutEffect(() => {
    if (isUntouched && document.activeElement === input.current) input.current?.select()
  }, [shown])

  // A typed text replaces the name that is there.
  function selectName(event: SyntheticEvent<HTMLInputElement>): void {
    if (!isUntouched) return
    event.currentTarget.select()
    // The end of a click on selected text would unselect it.
    event.preventDefault()
  }

  function search(next: string): void {
    setText(next)
    onType(next === current?.label ? '' : next.trim())
  }

  const options = new Map((choices ?? []).map((choice) => [choice.value, choice]))
  if (isUntouched && current !== undefined) options.set(current.value, current)
  // A list of options must have one (WCAG 1.3.1).
  const none = [{ value: 'none', label: choices === undefined ? 'Searching…' : nothing, disabled: true }]
  return (
    <Select
      {...field}
      ref={input}
      searchable
      data={options.size === 0 ? none : [...options.values()].map(({ value: id, label }) => ({ value: id, label }))}
      filter={({ options: all }) => all}
      // Null would empty the field.
      value={value ?? ''}
      onChange={(next, option) => {
        setPicked(option ?? undefined)
        onChoose(next ?? undefined)
      }}
      searchValue={text}
      onSearchChange={search}
      onInput={({ currentTarget }) => {
        if (currentTarget.value !== current?.label) onChoose(undefined)
      }}
      onFocus={selectName}
      onMouseUp={selectName}
      // The list would cover the rest of the form; typing, a click and the arrow keys open it.
      openOnFocus={false}
      comboboxProps={{ withinPortal: false }}
      withScrollArea={false}
      styles={{ options: { maxHeight: 260, overflowY: 'auto' } }}
    />
  )
}
