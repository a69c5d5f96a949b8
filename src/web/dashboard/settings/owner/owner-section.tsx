/** How the owner signs in: e-mail and password. */

import { Button } from '@mantine/core'
import { useState } from 'react'
import { useSession } from '../../session/use-session.ts'
import { Section } from '../../ui/page.tsx'
import { ChangeEmail } from './change-email.tsx'
import { ChangePassword } from './change-password.tsx'

export function OwnerSection() {
  const { owner } = useSession()
  const [open, setOpen] = useState<'email' | 'password'>()
  const close = () => setOpen(undefined)
  return (
    <Section title="Sign-in" lead="The store has one owner. Give others a key instead of your password.">
      <div className="settings-rows">
        <div className="settings-row">
          <div>
            <div className="settings-label">E-mail</div>
            <div>{owner.email}</div>
          </div>
          <Button size="xs" variant="default" onClick={() => setOpen('email')}>
            Change e-mail
          </Button>
        </div>
        <div className="settings-row">
          <div>
            <div className="settings-label">Password</div>
            <div className="quiet">
              If you forget it, the sign-in page sends you a link where mail is set up. Otherwise, run petstore owner
              reset on the computer of the store.
            </div>
          </div>
          <Button size="xs" variant="default" onClick={() => setOpen('password')}>
            Change password
          </Button>
        </div>
      </div>
      <ChangeEmail opened={open === 'email'} onClose={close} />
      <ChangePassword opened={open === 'password'} onClose={close} />
    </Section>
  )
}
