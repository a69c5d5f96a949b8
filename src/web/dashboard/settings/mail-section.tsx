/** Mail: the server through which the store writes to its owner, and whether it works. */

import { Button, Modal, PasswordInput, TextInput } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MailSettings } from '../../../owner/routes.ts'
import { fetchDashboard } from '../session/session.ts'
import { ChangeButton } from '../ui/change.tsx'
import { Confirm, Form, useFields, verbatim } from '../ui/form.tsx'
import { defined } from '../ui/input.ts'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { SmallButton } from '../ui/small.ts'
import { Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { changeOwner } from './owner-section.tsx'
import { Fault, Row } from './rows.tsx'

const mailQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: () => fetchDashboard<MailSettings>('GET', '/mail'),
  meta: { topics: ['mail', 'owner'] },
})

export function MailSection() {
  const query = useQuery(mailQuery)
  return (
    <Section
      title="Mail"
      lead="The store sends you mail when something needs your attention, and when you forget your password."
    >
      <Loaded query={query} loading={<LoadingRows rows={1} />}>
        {(mail) => <Mail mail={mail} />}
      </Loaded>
    </Section>
  )
}

function Mail({ mail }: { readonly mail: MailSettings }) {
  const [open, setOpen] = useState<'form' | 'off'>()
  const close = () => setOpen(undefined)
  const send = (path: string, done: string) => async () => {
    await fetchDashboard('POST', path)
    showDone(done)
  }

  async function turnOff(): Promise<void> {
    await fetchDashboard('DELETE', '/mail')
    showDone('Mail is off.')
  }

  const { smtp, from, to, isGiven, lastSentAt, fault } = mail
  return (
    <>
      <Row
        title={
          <>
            {smtp === null ? 'Mail is off' : `Mail goes to ${to}`} {isGiven && <Status of={['Locked', 'quiet']} />}
          </>
        }
        buttons={
          <>
            {smtp !== null && (
              <ChangeButton
                change={send('/mail/test', `The test mail is on its way to ${to}.`)}
                failure="The mail was not sent"
              >
                Send test mail
              </ChangeButton>
            )}
            {!isGiven && (
              <Button size="xs" variant={smtp === null ? 'filled' : 'default'} onClick={() => setOpen('form')}>
                {smtp === null ? 'Set up mail' : 'Change'}
              </Button>
            )}
            {!isGiven && smtp !== null && <SmallButton onClick={() => setOpen('off')}>Turn off</SmallButton>}
          </>
        }
      >
        <div>
          {smtp === null
            ? 'You get no message when the disk is full or a certificate fails.'
            : `From ${from} through ${placeOf(smtp)}`}
        </div>
        {isGiven && <div>Set with --smtp when the store was started. It can be changed only there.</div>}
        {lastSentAt !== null && (
          <div>
            Last mail <Moment time={lastSentAt} isRelative />
          </div>
        )}
        {fault !== null && <Fault>{fault}</Fault>}
      </Row>
      <Modal opened={open === 'form'} onClose={close} title="Mail server">
        <MailForm mail={mail} onClose={close} />
      </Modal>
      <Confirm
        opened={open === 'off'}
        onClose={close}
        title="Turn off mail?"
        action="Turn off mail"
        onConfirm={turnOff}
      >
        You will get no message when something is wrong, and a forgotten password cannot be reset by mail.
      </Confirm>
    </>
  )
}

/** The name and port of a mail server: `mail.example.com:465`. */
function placeOf(smtp: string): string {
  return smtp.replace(/^.*[@/]/, '')
}

interface MailFormProps {
  readonly mail: MailSettings
  readonly onClose: () => void
}

/** The port of mail servers that encrypt from the first byte; others begin with STARTTLS. */
const tlsPort = '465'

/** Its password is sent to the store and never comes back. */
function MailForm({ mail, onClose }: MailFormProps) {
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
      <TextInput
        {...of('user')}
        label="User name"
        description="Leave it empty if the server asks for none."
        {...verbatim}
      />
      <PasswordInput
        {...of('smtpPassword')}
        label="Password of the mail server"
        description={
          mail.smtp === null
            ? 'The password of the mailbox, not of this store.'
            : 'Leave it empty to keep the stored one.'
        }
        autoComplete="off"
      />
      <TextInput
        {...of('from')}
        label="Sender"
        description="The address from which the store sends mail."
        type="email"
        inputMode="email"
        autoComplete="off"
      />
      <PasswordInput {...of('password')} label="Your password for this store" autoComplete="current-password" />
    </Form>
  )
}

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535

/** The field that the store rejected, and why. */
function problemOf(message: string) {
  if (message.startsWith('from '))
    return { from: 'Enter one e-mail address, such as store@shop.example, without accents or umlauts before the @.' }
  if (message.startsWith('smtpPassword ')) return { smtpPassword: 'Enter the password of the mail server.' }
  return { host: 'This is not the name of a mail server, such as mail.example.com.' }
}
