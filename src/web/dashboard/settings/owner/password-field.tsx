/** The current password, which confirms a change of how the owner signs in. */

import { PasswordInput } from '@mantine/core'
import { isApiError } from '../../api/error.ts'
import { isTooLong } from '../../session/password.ts'
import { fetchDashboard } from '../../session/request.ts'
import type { TextField } from '../../ui/form/text-field.ts'

interface PasswordFieldProps {
  readonly field: TextField
  readonly label: string
  readonly isFirst?: boolean
}

export function PasswordField({ field, label, isFirst = false }: PasswordFieldProps) {
  return (
    <PasswordInput
      {...field.props}
      label={label}
      autoComplete="current-password"
      data-autofocus={isFirst || undefined}
    />
  )
}

/** Sends a change with the current password. Returns false, and says so at the field, if that is wrong. */
export async function changeOwner(path: string, password: TextField, change: object): Promise<boolean> {
  try {
    if (!isTooLong(password.value)) {
      await fetchDashboard('POST', path, { password: password.value, ...change })
      return true
    }
  } catch (error) {
    if (!isApiError(error, 'wrong_password')) throw error
  }
  password.reject('This is not your password. Type it again.')
  return false
}
