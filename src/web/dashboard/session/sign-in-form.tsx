/** The form to sign in, on its page and in the dialog above an open page. */

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { isApiError } from '../api/error.ts'
import { FormError } from '../ui/feedback/confirm.tsx'
import { emailProblem } from './email.ts'
import { isTooLong } from './password.ts'
import { signIn } from './session.ts'

interface SignInFormProps {
  /** The owner's address, where it is known: then only the password is asked for, until it does not fit. */
  readonly email?: string
  readonly onSignedIn?: () => void
}

type Field = 'email' | 'password'

export function SignInForm({ email: known, onSignedIn }: SignInFormProps) {
  const [wrong, setWrong] = useState<Partial<Record<Field, string>>>({})
  const [error, setError] = useState<unknown>()
  const [isEmailAsked, setEmailAsked] = useState(known === undefined)
  const [isBusy, setBusy] = useState(false)
  const emailField = useRef<HTMLInputElement>(null)
  const passwordField = useRef<HTMLInputElement>(null)
  const wrongWords =
    known === undefined
      ? 'The e-mail address or the password is not right. Check both, then try again.'
      : 'This password does not fit the e-mail address above. Try again.'

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const email = emailField.current?.value.trim() ?? ''
    const password = passwordField.current?.value ?? ''
    setError(undefined)
    if (email === '') return reject('email', 'Enter the e-mail address that you set the store up with.')
    if (password === '') return reject('password', 'Enter your password.')
    if (emailProblem(email) !== undefined || isTooLong(password)) return reject('password', wrongWords)
    setWrong({})
    setBusy(true)
    try {
      await signIn(email, password)
      onSignedIn?.()
    } catch (failure) {
      if (isApiError(failure, 'wrong_credentials')) {
        // The address may have been changed on another device.
        setEmailAsked(true)
        reject('password', wrongWords)
      } else setError(failure)
    } finally {
      setBusy(false)
    }
  }

  function reject(field: Field, message: string): void {
    setWrong({ [field]: message })
    const input = field === 'email' ? emailField.current : passwordField.current
    input?.focus()
    if (field === 'password') input?.select()
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        {isEmailAsked ? (
          <TextInput
            ref={emailField}
            label="E-mail"
            description={known && 'If you changed your e-mail address, enter the new one.'}
            defaultValue={known}
            name="email"
            type="email"
            autoComplete="username"
            inputMode="email"
            autoCapitalize="none"
            spellCheck={false}
            error={wrong.email}
          />
        ) : (
          // Password managers choose the password by it.
          <input ref={emailField} type="hidden" name="email" autoComplete="username" value={known} />
        )}
        <PasswordInput
          ref={passwordField}
          label="Password"
          name="password"
          autoComplete="current-password"
          error={wrong.password}
          data-autofocus={known !== undefined || undefined}
        />
        {error !== undefined && <FormError error={error} />}
        <Button type="submit" loading={isBusy} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
