/** Mail: the server through which the store writes to its owner, and whether it works. */

import { Button, Modal } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MailSettings } from '../../../owner/routes.ts'
import { fetchDashboard } from '../session/session.ts'
import { ChangeButton } from '../ui/change.tsx'
import { Confirm } from '../ui/form.tsx'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { MailForm } from './mail-form.tsx'

const mailQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: () => fetchDashboard<MailSettings>('GET', '/mail'),
  meta: { topics: ['mail', 'owner'] },
})

export function MailSection() {
  const query = useQuery(mailQuery)
  return (
    <Section title="Mail" lead="The store writes to you when something needs you, and when you forget your password.">
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

  return (
    <div className="settings-rows">
      <div className="settings-row settings-row-wrapping">
        <div>
          <div className="settings-label">
            {mail.smtp === null ? 'Mail is off' : `Mail goes to ${mail.to}`}{' '}
            {mail.isGiven && <Status of={['Locked', 'quiet']} />}
          </div>
          {mail.smtp === null ? (
            <div className="quiet">Nobody is told when the disk is full or a certificate fails.</div>
          ) : (
            <div className="quiet">
              From {mail.from} through {placeOf(mail.smtp)}
            </div>
          )}
          {mail.isGiven && <div className="quiet">Set by --smtp of the start, and can only be changed there.</div>}
          {mail.lastSentAt !== null && (
            <div className="quiet">
              Last mail <Moment time={mail.lastSentAt} isRelative />
            </div>
          )}
          {mail.fault !== null && <div className="settings-fault">{mail.fault}</div>}
        </div>
        <div className="settings-buttons">
          {mail.smtp !== null && (
            <ChangeButton
              size="xs"
              change={send('/mail/test', `The test mail is on its way to ${mail.to}.`)}
              failure="The mail was not sent"
            >
              Send test mail
            </ChangeButton>
          )}
          {!mail.isGiven && (
            <Button size="xs" variant={mail.smtp === null ? 'filled' : 'default'} onClick={() => setOpen('form')}>
              {mail.smtp === null ? 'Set up mail' : 'Change'}
            </Button>
          )}
          {!mail.isGiven && mail.smtp !== null && (
            <Button size="xs" variant="default" onClick={() => setOpen('off')}>
              Turn off
            </Button>
          )}
        </div>
      </div>
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
        Nobody is told any more when something is wrong, and a forgotten password cannot be reset by mail.
      </Confirm>
    </div>
  )
}

/** The name and port of a mail server: `mail.example.com:465`. */
function placeOf(smtp: string): string {
  return smtp.replace(/^.*[@/]/, '')
}
