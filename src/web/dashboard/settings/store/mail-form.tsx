/** The form of the mail server. Its password is sent to the store and never comes back. */

import { Modal, PasswordInput, TextInput } from '@mantine/core'
import { isApiError } from '../../api/error.ts'
import { invalidateTopics } from '../../api/queries.ts'
import { showDone } from '../../ui/feedback/notices.ts'
import { Form } from '../../ui/form/form.tsx'
import { useTextField } from '../../ui/form/text-field.ts'
import { changeOwner, PasswordField } from '../owner/password-field.tsx'
import type { MailSettings } from '../queries.ts'

interface MailFormProps {
  readonly mail: MailSettings
  readonly opened: boolean
  readonly onClose: () => void
}

export function MailForm({ mail, opened, onClose }: MailFormProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Mail server">
      <Fields mail={mail} onClose={onClose} />
    </Modal>
  )
}

/** The port of mail servers that encrypt from the first byte; others begin with STARTTLS. */
const tlsPort = '465'

function Fields({ mail, onClose }: Omit<MailFormProps, 'opened'>) {
  const before = mail.smtp === null ? undefined : new URL(mail.smtp.replace(/^smtps?/, 'http'))
  const host = useTextField(before?.hostname)
  const port = useTextField(before === undefined ? tlsPort : before.port || '80')
  const user = useTextField(decodeURIComponent(before?.username ?? ''))
  const mailPassword = useTextField()
  const from = useTextField(mail.from ?? '')
  const password = useTextField()

  async function save(): Promise<void> {
    const name = user.value.trim()
    const scheme = port.value.trim() === tlsPort ? 'smtps' : 'smtp'
    const smtp = `${scheme}://${name === '' ? '' : `${encodeURIComponent(name)}@`}${host.value.trim()}:${port.value.trim()}`
    if (host.value.trim() === '') return host.reject('Enter the name of the mail server of your provider.')
    if (!/^\d{1,5}$/.test(port.value.trim())) return port.reject('Enter a number: 465, or 587 for STARTTLS.')
    const smtpPassword = mailPassword.value === '' ? {} : { smtpPassword: mailPassword.value }
    try {
      if (!(await changeOwner('/mail', password, { smtp, from: from.value.trim(), ...smtpPassword }))) return
    } catch (error) {
      if (!isApiError(error, 'invalid_body')) throw error
      if (error.message.startsWith('from ')) return from.reject('Enter one e-mail address, such as store@shop.example.')
      if (error.message.startsWith('smtpPassword '))
        return mailPassword.reject('Enter the password of the mail server.')
      return host.reject('This is not the name of a mail server, such as mail.example.com.')
    }
    await invalidateTopics(['mail'])
    showDone('Mail is set up. Send a test mail now.')
    onClose()
  }

  return (
    <Form onSubmit={save} action="Save mail server" onCancel={onClose}>
      <TextInput
        {...host.props}
        label="Mail server"
        description="Your provider calls it SMTP or outgoing mail server."
        placeholder="mail.example.com"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
      />
      <TextInput
        {...port.props}
        label="Port"
        description="465 for TLS; any other, such as 587, for STARTTLS. Mail is never sent unencrypted."
        inputMode="numeric"
      />
      <TextInput
        {...user.props}
        label="User name"
        description="Empty for a server that asks for none."
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
      />
      <PasswordInput
        {...mailPassword.props}
        label="Password of the mail server"
        description={
          mail.smtp === null ? 'Of the mailbox, not of this store.' : 'Empty to keep the one that is stored.'
        }
        autoComplete="off"
      />
      <TextInput
        {...from.props}
        label="Sender"
        description="The address that the mails come from."
        type="email"
        inputMode="email"
        autoComplete="off"
      />
      <PasswordField field={password} label="Your password for this store" />
    </Form>
  )
}
