/** A field that searches while somebody types. */

import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import './toolbar.css'

const typingPauseMs = 150

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
  const send = useRef(onChange)
  send.current = onChange
  // "Back" and links change the text in the address.
  useEffect(() => {
    if (text !== sent.current) setTyped(text)
    sent.current = text
  }, [text])
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === sent.current) return
    const timer = setTimeout(() => {
      sent.current = wanted
      send.current(wanted)
    }, typingPauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <TextInput
      className="toolbar-search"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={100}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      rightSection={
        typed === '' ? null : <CloseButton size="sm" aria-label="Clear the search" onClick={() => setTyped('')} />
      }
    />
  )
}
