/** Changes the e-mail address that the owner signs in with. */

import { Button, Group, Modal, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { isApiError } from '../../api/error.ts'
import { fetchDashboard } from '../../session/request.ts'
import { loadSession } from '../../session/session.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
import { showDone } from '../../ui/feedback/notices.ts'

export function ChangeEmail({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Change e-mail">
      <Form onClose={onClose} />
    </Modal>
  )
}

function Form({ onClose }: { readonly onClose: () => void }) {
  const [wrong, setWrong] = useState<{ readonly email?: string; readonly password?: string }>({})
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const emailField = useRef<HTMLInputElement>(null)
  const passwordField = useRef<HTMLInputElement>(null)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const email = emailField.current?.value.trim() ?? ''
    const password = passwordField.current?.value ?? ''
    setError(undefined)
    setWrong({})
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
      setWrong({ email: 'Enter an e-mail address, such as you@example.com.' })
      emailField.current?.focus()
      return
    }
    setBusy(true)
    try {
      await fetchDashboard('POST', '/email', { email, password })
      await loadSession()
      showDone(`You sign in as ${email} now.`)
      onClose()
    } catch (failure) {
      if (isApiError(failure, 'wrong_password')) {
        setWrong({ password: 'This is not your password. Type it again.' })
        passwordField.current?.select()
      } else setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <TextInput
          ref={emailField}
          label="New e-mail"
          type="email"
          autoComplete="email"
          inputMode="email"
          error={wrong.email}
          data-autofocus
        />
        <PasswordInput
          ref={passwordField}
          label="Your password"
          autoComplete="current-password"
          error={wrong.password}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide', tabIndex: 0 }}
        />
        {error !== undefined && <FormError error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Change e-mail
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
