/** The fields of an animal, in the form to add one and in the form to change one. */

import { Anchor, NativeSelect, type NativeSelectProps, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Ref } from 'react'
import { Link } from 'wouter'
import { nameProblem } from '../ui/input.ts'
import { type PetStatus, petStates, statuses } from './filters.ts'
import { categoriesQuery, categoryName } from './queries.ts'

export interface Draft {
  readonly name: string
  readonly categoryId: number
  readonly status: PetStatus
}

/** The problem of an animal's name, in words; undefined if it has none. */
export const animalNameProblem = (name: string): string | undefined =>
  nameProblem(name, 'Enter the name of the animal.')

interface FieldsProps {
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
  readonly nameError?: string | undefined
  readonly nameField?: Ref<HTMLInputElement>
  /** The statuses that the animal can have next. */
  readonly allowed?: readonly PetStatus[]
  readonly isCompact?: boolean
}

export function Fields({ draft, onChange, nameError, nameField, allowed = statuses, isCompact = false }: FieldsProps) {
  const labels = (text: string) => (isCompact ? { 'aria-label': text } : { label: text })
  return (
    <>
      <TextInput
        {...labels('Name')}
        ref={nameField}
        value={draft.name}
        error={nameError}
        autoComplete="off"
        data-autofocus
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <CategoryField
        {...labels('Category')}
        value={draft.categoryId}
        onChange={(categoryId) => onChange({ categoryId })}
      />
      <StatusField
        {...labels('Status')}
        value={draft.status}
        allowed={allowed}
        onChange={({ currentTarget }) => onChange({ status: currentTarget.value as PetStatus })}
      />
    </>
  )
}

interface StatusFieldProps extends NativeSelectProps {
  /** The statuses that the animal can have next. */
  readonly allowed: readonly PetStatus[]
}

export function StatusField({ allowed, ...select }: StatusFieldProps) {
  return (
    <NativeSelect {...select}>
      {allowed.map((status) => (
        <option key={status} value={status}>
          {petStates[status][0]}
        </option>
      ))}
    </NativeSelect>
  )
}

interface CategoryFieldProps {
  readonly label?: string
  readonly 'aria-label'?: string
  readonly value: number
  readonly onChange: (categoryId: number) => void
}

export function CategoryField({ value, onChange, ...label }: CategoryFieldProps) {
  const { data: categories } = useQuery(categoriesQuery)
  const category = categories?.find(({ id }) => id === value)
  return (
    <NativeSelect
      {...label}
      value={value}
      description={
        categories !== undefined && category?.name == null ? (
          <>
            This category has no name yet:{' '}
            <Anchor component={Link} href="/animals/categories" inherit underline="always">
              name it
            </Anchor>{' '}
            in the list of categories.
          </>
        ) : undefined
      }
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
    >
      {category === undefined && <option value={value}>{categoryName({ id: value, name: null })}</option>}
      {categories?.map((one) => (
        <option key={one.id} value={one.id}>
          {categoryName(one)}
        </option>
      ))}
    </NativeSelect>
  )
}
