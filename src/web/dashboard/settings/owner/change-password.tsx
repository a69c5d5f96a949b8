/** Changes the owner's password, which ends all other sessions. */

import { Modal, PasswordInput, Text } from '@mantine/core'
import { invalidateTopics } from '../../api/queries.ts'
import { passwordProblem, shortestPassword } from '../../session/password.ts'
import { useSession } from '../../session/use-session.ts'
import { showDone } from '../../ui/feedback/notices.ts'
import { Form } from '../../ui/form/form.tsx'
import { useTextField } from '../../ui/form/text-field.ts'
import { changeOwner, PasswordField } from './password-field.tsx'

export function ChangePassword({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Change password">
      <PasswordForm onClose={onClose} />
    </Modal>
  )
}

function PasswordForm({ onClose }: { readonly onClose: () => void }) {
  const { owner } = useSession()
  const password = useTextField()
  const next = useTextField()

  async function change(): Promise<void> {
    const problem = passwordProblem(next.value)
    if (problem !== undefined) return next.reject(problem)
    if (!(await changeOwner('/password', password, { newPassword: next.value }))) return
    await invalidateTopics(['sessions'])
    showDone('Your password is changed. All other devices are signed out.')
    onClose()
  }

  return (
    <Form onSubmit={change} action="Change password" onCancel={onClose}>
      <Text>Every other device is signed out.</Text>
      {/* Password managers choose and save the password by it. */}
      <input type="hidden" name="email" autoComplete="username" value={owner.email} />
      <PasswordField field={password} label="Current password" isFirst />
      <PasswordInput
        {...next.props}
        label="New password"
        description={`At least ${shortestPassword} characters.`}
        autoComplete="new-password"
      />
    </Form>
  )
}
