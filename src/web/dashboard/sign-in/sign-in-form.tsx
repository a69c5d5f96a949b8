/** The form to sign in, on its page and in the dialog above an open page. */

import { Anchor, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useState } from 'react'
import { isApiError } from '../api/error.ts'
import { isTooLong } from '../session/credentials.ts'
import { leave, loadSession, signIn } from '../session/session.ts'
import { Form, useFields } from '../ui/form.tsx'

/** The attributes of a field for an e-mail address. */
export const emailInput = {
  label: 'E-mail',
  name: 'email',
  type: 'email',
  autoComplete: 'username',
  inputMode: 'email',
  autoCapitalize: 'none',
  spellCheck: false,
} as const

/** With `email`, the owner's address, the form asks only for the password, until a wrong one is entered. */
export function SignInForm({ email: known }: { readonly email?: string }) {
  const { values, of, reject } = useFields({ email: known ?? '', password: '' })
  const [isEmailAsked, setEmailAsked] = useState(known === undefined)
  const wrongWords =
    known === undefined
      ? 'The e-mail address or the password is wrong. Check both, then try again.'
      : 'This is not the password for the e-mail address above. Try again.'

  function problemsOf(email: string, password: string) {
    if (email === '') return { email: 'Enter the e-mail address with which you set up the store.' }
    if (password === '') return { password: 'Enter your password.' }
    return { password: isTooLong(email) || isTooLong(password) ? wrongWords : undefined }
  }

  async function submit(): Promise<void> {
    const email = values.email.trim()
    if (reject(problemsOf(email, values.password))) return
    try {
      await signIn(email, values.password)
    } catch (error) {
      if (!isApiError(error, 'wrong_credentials')) throw error
      // The address may have been changed on another device.
      setEmailAsked(true)
      reject({ password: wrongWords })
    }
  }

  return (
    <Form onSubmit={submit} action="Sign in" isWide>
      {isEmailAsked ? (
        <TextInput
          {...emailInput}
          {...of('email')}
          description={known && 'If you changed your e-mail address, enter the new one.'}
        />
      ) : (
        // Password managers choose the password by it.
        <input type="hidden" name="email" autoComplete="username" value={known} />
      )}
      <PasswordInput
        {...of('password')}
        label="Password"
        name="password"
        autoComplete="current-password"
        data-autofocus={known !== undefined || undefined}
      />
    </Form>
  )
}

/** Asks for the password above the open page when the session has ended. The page then continues where it was. */
export function SignInAgain({ opened, email }: { readonly opened: boolean; readonly email: string }) {
  // The owner may have signed in meanwhile in another window.
  useWindowEvent('focus', () => {
    if (opened) void loadSession().catch(() => {})
  })

  return (
    <Modal
      opened={opened}
      onClose={() => {}}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      title="Sign in again"
      zIndex={600}
    >
      <Stack>
        <Text>
          Your session has ended. Nothing on this page is lost: sign in as <strong>{email}</strong> to continue.
        </Text>
        <SignInForm email={email} />
        <Anchor component="button" type="button" size="sm" onClick={leave}>
          Leave this page and sign in as somebody else
        </Anchor>
      </Stack>
    </Modal>
  )
}
