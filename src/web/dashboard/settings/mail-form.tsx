/** The form of the mail server. Its password is sent to the store and never comes back. */

import { PasswordInput, TextInput } from '@mantine/core'
import type { MailSettings } from '../../../owner/routes.ts'
import { Form, useFields, verbatim } from '../ui/form.tsx'
import { defined } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { changeOwner } from './owner-section.tsx'

interface MailFormProps {
  readonly mail: MailSettings
  readonly onClose: () => void
}

/** The port of mail servers that encrypt from the first byte; others begin with STARTTLS. */
const tlsPort = '465'

export function MailForm({ mail, onClose }: MailFormProps) {
  const before = mail.smtp === null ? undefined : new URL(mail.smtp.replace(/^smtps?/, 'http'))
  const { values, of, reject } = useFields({
    host: before?.hostname ?? '',
    port: before === undefined ? tlsPort : before.port || '80',
    user: decodeURIComponent(before?.username ?? ''),
    smtpPassword: '',
    from: mail.from ?? '',
    password: '',
  })

  async function save(isShown: () => boolean): Promise<void> {
    const [host, port, user] = [values.host.trim(), values.port.trim(), values.user.trim()]
    const problems = {
      host: host === '' ? 'Enter the name of the mail server of your provider.' : undefined,
      port: isPort(port) ? undefined : 'Enter a number: 465, or 587 for STARTTLS.',
    }
    if (reject(problems)) return
    const name = user === '' ? '' : `${encodeURIComponent(user)}@`
    const smtp = `${port === tlsPort ? 'smtps' : 'smtp'}://${name}${host}:${port}`
    const smtpPassword = values.smtpPassword || undefined
    const change = { smtp, from: values.from.trim(), ...defined({ smtpPassword }) }
    if (reject(await changeOwner('/mail', values.password, change, problemOf))) return
    showDone('Mail is set up. Send a test mail now.')
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={save} action="Save mail server" onCancel={onClose}>
      <TextInput
        {...of('host')}
        label="Mail server"
        description="Your provider calls it SMTP or outgoing mail server."
        placeholder="mail.example.com"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
      />
      <TextInput
        {...of('port')}
        label="Port"
        description="465 for TLS; any other, such as 587, for STARTTLS. Mail is never sent unencrypted."
        inputMode="numeric"
      />
      <TextInput {...of('user')} label="User name" description="Empty for a server that asks for none." {...verbatim} />
      <PasswordInput
        {...of('smtpPassword')}
        label="Password of the mail server"
        description={
          mail.smtp === null ? 'Of the mailbox, not of this store.' : 'Empty to keep the one that is stored.'
        }
        autoComplete="off"
      />
      <TextInput
        {...of('from')}
        label="Sender"
        description="The address that the mails come from."
        type="email"
        inputMode="email"
        autoComplete="off"
      />
      <PasswordInput {...of('password')} label="Your password for this store" autoComplete="current-password" />
    </Form>
  )
}

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535

/** The field that the store has rejected, and why. */
function problemOf(message: string) {
  if (message.startsWith('from '))
    return { from: 'Enter one e-mail address, such as store@shop.example, without accents or umlauts before the @.' }
  if (message.startsWith('smtpPassword ')) return { smtpPassword: 'Enter the password of the mail server.' }
  return { host: 'This is not the name of a mail server, such as mail.example.com.' }
}
