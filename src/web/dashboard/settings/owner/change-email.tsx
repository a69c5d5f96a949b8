/** Changes the e-mail address by which the owner signs in. */

import { Modal, TextInput } from '@mantine/core'
import { emailProblem } from '../../session/email.ts'
import { loadSession } from '../../session/session.ts'
import { showDone } from '../../ui/feedback/notices.ts'
import { Form } from '../../ui/form/form.tsx'
import { useTextField } from '../../ui/form/text-field.ts'
import { changeOwner, PasswordField } from './password-field.tsx'

export function ChangeEmail({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Change e-mail">
      <EmailForm onClose={onClose} />
    </Modal>
  )
}

function EmailForm({ onClose }: { readonly onClose: () => void }) {
  const email = useTextField()
  const password = useTextField()

  async function change(): Promise<void> {
    const next = email.value.trim()
    const problem = emailProblem(next)
    if (problem !== undefined) return email.reject(problem)
    if (!(await changeOwner('/email', password, { email: next }))) return
    await loadSession()
    showDone(`You sign in as ${next} now.`)
    onClose()
  }

  return (
    <Form onSubmit={change} action="Change e-mail" onCancel={onClose}>
      <TextInput
        {...email.props}
        label="New e-mail"
        type="email"
        autoComplete="email"
        inputMode="email"
        data-autofocus
      />
      <PasswordField field={password} label="Your password" />
    </Form>
  )
}
