/** Changes the owner's password, which ends all other sessions. */

import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { isApiError } from '../../api/error.ts'
import { invalidateTopics } from '../../api/queries.ts'
import { passwordProblem, shortestPassword } from '../../session/password.ts'
import { fetchDashboard } from '../../session/request.ts'
import { useSession } from '../../session/use-session.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
import { showDone } from '../../ui/feedback/notices.ts'

export function ChangePassword({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Change password">
      <Form onClose={onClose} />
    </Modal>
  )
}

function Form({ onClose }: { readonly onClose: () => void }) {
  const { owner } = useSession()
  const [wrong, setWrong] = useState<{ readonly old?: string; readonly next?: string }>({})
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const oldField = useRef<HTMLInputElement>(null)
  const nextField = useRef<HTMLInputElement>(null)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const [password, newPassword] = [oldField.current?.value ?? '', nextField.current?.value ?? '']
    setError(undefined)
    setWrong({})
    const problem = passwordProblem(newPassword)
    if (problem !== undefined) {
      setWrong({ next: problem })
      nextField.current?.focus()
      return
    }
    setBusy(true)
    try {
      await fetchDashboard('POST', '/password', { password, newPassword })
      await invalidateTopics(['sessions'])
      showDone('Your password is changed. All other devices are signed out.')
      onClose()
    } catch (failure) {
      if (isApiError(failure, 'wrong_password')) {
        setWrong({ old: 'This is not your password. Type it again.' })
        oldField.current?.select()
      } else setError(failure)
    } finally {
      setBusy(false)
    }
  }

  const toggle = { 'aria-label': 'Show or hide', tabIndex: 0 }
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <Text>Every other device is signed out.</Text>
        {/* Password managers choose and save the password by it. */}
        <input type="hidden" name="email" autoComplete="username" value={owner.email} />
        <PasswordInput
          ref={oldField}
          label="Current password"
          autoComplete="current-password"
          error={wrong.old}
          visibilityToggleButtonProps={toggle}
          data-autofocus
        />
        <PasswordInput
          ref={nextField}
          label="New password"
          description={`At least ${shortestPassword} characters.`}
          autoComplete="new-password"
          error={wrong.next}
          visibilityToggleButtonProps={toggle}
        />
        {error !== undefined && <FormError error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
