/** Chooses an account by its name; stores can have thousands. */

import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountSearchQuery, useAccountNames } from '../api/accounts.ts'
import { typingPauseMs } from './input.ts'
import { type Choice, offered, SearchSelect } from './search-select.tsx'

interface AccountFieldProps {
  /** 0 for `none`; undefined while none is chosen. */
  readonly value: number | undefined
  /** Called with undefined when a name is typed; a filter ignores that. */
  readonly onChange: (accountId: number | undefined) => void
  /** What stands for no account, as in "All accounts"; without it, one must be chosen. */
  readonly none?: string
  readonly description?: string
  readonly error?: string | undefined
  /** Without a visible label, where the context makes it clear. */
  readonly isUnlabelled?: boolean
}

export function AccountField({ value, onChange, none, description, error, isUnlabelled = false }: AccountFieldProps) {
  const [text, setText] = useState('')
  const [typed] = useDebouncedValue(text, typingPauseMs)
  const { data } = useQuery(accountSearchQuery(typed, offered))
  const nameOf = useAccountNames(value ? [value] : [])
  const first: readonly Choice[] = none === undefined || typed !== '' ? [] : [{ value: '0', label: none }]
  return (
    <SearchSelect
      {...(isUnlabelled ? { 'aria-label': 'Account' } : { label: 'Account' })}
      {...(description === undefined ? {} : { description })}
      placeholder="Type a name"
      allowDeselect={false}
      error={error}
      value={value?.toString()}
      chosen={value ? { value: String(value), label: nameOf(value) } : value === 0 ? first[0] : undefined}
      choices={
        data === undefined ? undefined : [...first, ...data.map(({ id, name }) => ({ value: String(id), label: name }))]
      }
      nothing="No account has this name."
      onType={setText}
      onChoose={(id) => onChange(id === undefined ? undefined : Number(id))}
    />
  )
}
