/** A field for a text: what is typed, and what is wrong with it. */

import { type ChangeEvent, useRef, useState } from 'react'

/** `field.props` are those of a `TextInput` or `PasswordInput`. */
export function useTextField(initial = '') {
  const [value, setValue] = useState(initial)
  const [error, setError] = useState<string>()
  const ref = useRef<HTMLInputElement>(null)
  return {
    value,
    props: {
      ref,
      value,
      error,
      onChange({ currentTarget }: ChangeEvent<HTMLInputElement>): void {
        setValue(currentTarget.value)
        setError(undefined)
      },
    },
    /** Replaces what is typed. */
    set(next: string): void {
      setValue(next)
      setError(undefined)
      ref.current?.focus()
    },
    /** Says what is wrong, and puts the focus on the field. */
    reject(message: string): void {
      setError(message)
      ref.current?.focus()
      ref.current?.select()
    },
  }
}
export type TextField = ReturnType<typeof useTextField>
