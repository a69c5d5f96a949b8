/** How the owner signs in: e-mail and password. A change needs the current password. */

import { Modal, PasswordInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isApiError } from '../api/error.ts'
import { emailProblem, isTooLong, passwordProblem, shortestPassword } from '../session/credentials.ts'
import { fetchDashboard, loadSession, useSession } from '../session/session.ts'
import { Form, useFields } from '../ui/form.tsx'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { SmallButton } from '../ui/small.ts'
import { Row, Rows } from './rows.tsx'

export function OwnerSection() {
  const { owner } = useSession()
  const [open, setOpen] = useState<'email' | 'password'>()
  const close = () => setOpen(undefined)
  return (
    <Section title="Sign-in" lead="The store has one owner. Give others a key instead of your password.">
      <Rows>
        <Row title="E-mail" buttons={<SmallButton onClick={() => setOpen('email')}>Change e-mail</SmallButton>}>
          <Text size="md" c="var(--mantine-color-text)">
            {owner.email}
          </Text>
        </Row>
        <Row title="Password" buttons={<SmallButton onClick={() => setOpen('password')}>Change password</SmallButton>}>
          If you forget it and mail is set up, the sign-in page sends you a link. Otherwise, run petstore owner reset on
          the store’s computer: it prints one.
        </Row>
      </Rows>
      <Modal opened={open === 'email'} onClose={close} title="Change e-mail">
        <EmailForm onClose={close} />
      </Modal>
      <Modal opened={open === 'password'} onClose={close} title="Change password">
        <PasswordForm onClose={close} />
      </Modal>
    </Section>
  )
}

interface OwnerFormProps {
  readonly onClose: () => void
}

function EmailForm({ onClose }: OwnerFormProps) {
  const { values, of, reject } = useFields({ email: '', password: '' })

  async function change(isShown: () => boolean): Promise<void> {
    const email = values.email.trim()
    if (reject({ email: emailProblem(email) })) return
    if (reject(await changeOwner('/email', values.password, { email }))) return
    await loadSession()
    showDone(`You sign in as ${email} now.`)
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={change} action="Change e-mail" onCancel={onClose}>
      <TextInput
        {...of('email')}
        label="New e-mail"
        type="email"
        autoComplete="email"
        inputMode="email"
        data-autofocus
      />
      <PasswordInput {...of('password')} label="Your password" autoComplete="current-password" />
    </Form>
  )
}

/** Ends all other sessions. */
function PasswordForm({ onClose }: OwnerFormProps) {
  const { owner } = useSession()
  const { values, of, reject } = useFields({ password: '', newPassword: '' })

  async function change(isShown: () => boolean): Promise<void> {
    const { password, newPassword } = values
    if (reject({ newPassword: passwordProblem(newPassword) })) return
    if (reject(await changeOwner('/password', password, { newPassword }))) return
    showDone('Your password is changed. All other devices are signed out.')
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={change} action="Change password" onCancel={onClose}>
      <Text>Every other device is signed out.</Text>
      {/* Password managers choose and save the password by it. */}
      <input type="hidden" name="email" autoComplete="username" value={owner.email} />
      <PasswordInput {...of('password')} label="Current password" autoComplete="current-password" data-autofocus />
      <PasswordInput
        {...of('newPassword')}
        label="New password"
        description={`At least ${shortestPassword} characters.`}
        autoComplete="new-password"
      />
    </Form>
  )
}

const notThePassword = 'This is not your password. Type it again.'

/**
 * Sends a change with the current password. Returns the problems of the fields, none if the change was made. `problemOf`
 * finds the field that the store rejected with a message.
 */
export async function changeOwner<P extends object>(
  path: string,
  password: string,
  change: object,
  problemOf?: (message: string) => P,
): Promise<P | { readonly password?: string }> {
  if (password === '') return { password: 'Enter your password.' }
  if (isTooLong(password)) return { password: notThePassword }
  try {
    await fetchDashboard('POST', path, { password, ...change })
    return {}
  } catch (error) {
    if (isApiError(error, 'wrong_password')) return { password: notThePassword }
    if (problemOf !== undefined && isApiError(error, 'invalid_body')) return problemOf(error.message)
    throw error
  }
}
