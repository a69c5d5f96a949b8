/** Chooses an account by its name; stores can have thousands. */

import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountSearchQuery, useAccountNames } from '../../api/accounts.ts'
import { type Choice, offered, SearchSelect, typingPauseMs } from './search-select.tsx'

interface AccountFieldProps {
  /** 0 for `none`. */
  readonly value: number
  readonly onChange: (accountId: number) => void
  /** What stands for no account, as in "All accounts"; without it, one must be chosen. */
  readonly none?: string
  readonly description?: string
  /** Without a visible label, where the place says what is chosen. */
  readonly isUnlabelled?: boolean
}

export function AccountField({ value, onChange, none, description, isUnlabelled = false }: AccountFieldProps) {
  const [text, setText] = useState('')
  const [typed] = useDebouncedValue(text, typingPauseMs)
  const { data } = useQuery(accountSearchQuery(typed, offered))
  const nameOf = useAccountNames(value === 0 ? [] : [value])
  const first: readonly Choice[] = none === undefined || typed !== '' ? [] : [{ value: '0', label: none }]
  return (
    <SearchSelect
      {...(isUnlabelled ? { 'aria-label': 'Account' } : { label: 'Account' })}
      {...(description === undefined ? {} : { description })}
      placeholder="Type a name"
      allowDeselect={false}
      value={String(value)}
      chosen={value === 0 ? first[0] : { value: String(value), label: nameOf(value) }}
      choices={
        data === undefined ? undefined : [...first, ...data.map(({ id, name }) => ({ value: String(id), label: name }))]
      }
      nothing="No account has this name."
      onType={setText}
      onChoose={(id) => onChange(Number(id ?? 0))}
    />
  )
}
