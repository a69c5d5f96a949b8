/** A field that searches while somebody types. */

import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { typingPauseMs } from './input.ts'
import './toolbar.css'

interface SearchFieldProps {
  readonly label: string
  readonly placeholder: string
  /** The text that is searched for, as it stands in the address. */
  readonly text: string
  /** Called with the trimmed text after a pause of typing. */
  readonly onChange: (text: string) => void
}

export function SearchField({ label, placeholder, text, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(text)
  const sent = useRef(text)
  // "Back" and links change the text in the address.
  useEffect(() => {
    if (text !== sent.current) setTyped(text)
    sent.current = text
  }, [text])
  const send = useDebouncedCallback((wanted: string) => {
    sent.current = wanted
    onChange(wanted)
  }, typingPauseMs)

  function type(next: string): void {
    setTyped(next)
    send(next.trim())
  }

  return (
    <TextInput
      className="toolbar-search"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={100}
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      rightSection={
        typed === '' ? null : <CloseButton size="sm" aria-label="Clear the search" onClick={() => type('')} />
      }
    />
  )
}
