/** The devices on which the owner is signed in. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidateTopics } from '../../api/queries.ts'
import { fetchDashboard } from '../../session/request.ts'
import { signOut } from '../../session/session.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { Loaded } from '../../ui/feedback/states.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { type OwnerSession, sessionsQuery } from '../queries.ts'

export function SessionsSection() {
  const query = useQuery(sessionsQuery)
  const [isAsking, setAsking] = useState(false)
  return (
    <Section
      title="Where you are signed in"
      lead="Sign out a device that you do not know, then change your password."
      actions={
        <Button size="xs" variant="default" onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      }
    >
      <Loaded query={query}>
        {(sessions) => (
          <div className="settings-rows">
            {sessions.map((session) => (
              <Device key={session.id} session={session} />
            ))}
          </div>
        )}
      </Loaded>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={() => signOut(true)}
      >
        You are signed out on all devices, this one too, and sign in again with your password.
      </Confirm>
    </Section>
  )
}

function Device({ session }: { readonly session: OwnerSession }) {
  const [isBusy, setBusy] = useState(false)

  async function end(): Promise<void> {
    setBusy(true)
    try {
      await fetchDashboard('DELETE', `/sessions/${session.id}`)
      await invalidateTopics(['sessions'])
      showDone(`${session.device} is signed out.`)
    } catch (error) {
      showFailure(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="settings-row">
      <div>
        <div className="settings-label">
          {session.device} {session.isCurrent && <Status tone="good">This device</Status>}
        </div>
        <div className="quiet">
          Last used <Moment time={session.lastActiveAt} isRelative />, from {session.address}; signed in{' '}
          <Moment time={session.createdAt} />
        </div>
      </div>
      {!session.isCurrent && (
        <Button
          size="xs"
          variant="default"
          loading={isBusy}
          aria-label={`Sign out ${session.device}`}
          onClick={() => void end()}
        >
          Sign out
        </Button>
      )}
    </div>
  )
}
