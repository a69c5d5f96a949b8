/** Mail: the server through which the store writes to its owner, and whether it works. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidateTopics } from '../../api/queries.ts'
import { fetchDashboard } from '../../session/request.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { Loaded } from '../../ui/feedback/states.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { type MailSettings, mailQuery } from '../queries.ts'
import { MailForm } from './mail-form.tsx'

export function MailSection() {
  const query = useQuery(mailQuery)
  return (
    <Section title="Mail" lead="The store writes to you when something needs you, and when you forget your password.">
      <Loaded query={query}>{(mail) => <Mail mail={mail} />}</Loaded>
    </Section>
  )
}

function Mail({ mail }: { readonly mail: MailSettings }) {
  const [open, setOpen] = useState<'form' | 'off'>()
  const [isBusy, setBusy] = useState(false)
  const close = () => setOpen(undefined)

  async function send(path: string, done: string): Promise<void> {
    setBusy(true)
    try {
      await fetchDashboard('POST', path)
      showDone(done)
    } catch (error) {
      showFailure(error, 'The mail was not sent')
    } finally {
      await invalidateTopics(['mail'])
      setBusy(false)
    }
  }

  async function turnOff(): Promise<void> {
    await fetchDashboard('DELETE', '/mail')
    await invalidateTopics(['mail'])
    showDone('Mail is off.')
  }

  return (
    <div className="settings-rows">
      {mail.heldSince !== null && mail.smtp !== null && (
        <div className="settings-row settings-row-wrapping">
          <div>
            <div className="settings-label">
              Mail is held <Status tone="warn">Restored</Status>
            </div>
            <div className="quiet">
              This store was restored from a backup, <Moment time={mail.heldSince} isRelative />. Nothing is sent until
              you confirm that this store goes on, and no copy of it.
            </div>
          </div>
          <Button size="xs" loading={isBusy} onClick={() => void send('/mail/confirm', 'This store sends mail again.')}>
            Send mail again
          </Button>
        </div>
      )}
      <div className="settings-row settings-row-wrapping">
        <div>
          <div className="settings-label">
            {mail.smtp === null ? 'Mail is off' : mail.to} {mail.isGiven && <Status tone="quiet">Locked</Status>}
          </div>
          {mail.smtp === null ? (
            <div className="quiet">Nobody is told when the disk is full or a certificate fails.</div>
          ) : (
            <div className="quiet">
              From {mail.from} through {placeOf(mail.smtp)}
              {mail.isGiven && '. Set by the option --smtp of the start, and can only be changed there'}
            </div>
          )}
          {mail.lastSentAt !== null && (
            <div className="quiet">
              Last mail <Moment time={mail.lastSentAt} isRelative />
            </div>
          )}
          {mail.fault !== null && <div className="settings-fault">{mail.fault}</div>}
        </div>
        <div className="settings-buttons">
          {mail.smtp !== null && mail.heldSince === null && (
            <Button
              size="xs"
              variant="default"
              loading={isBusy}
              onClick={() => void send('/mail/test', `The test mail is on its way to ${mail.to}.`)}
            >
              Send test mail
            </Button>
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
      <MailForm mail={mail} opened={open === 'form'} onClose={close} />
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
