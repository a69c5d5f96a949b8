/** The devices on which the owner is signed in. */

import { Button } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fetchDashboard, signOut } from '../session/session.ts'
import { ChangeButton } from '../ui/change.tsx'
import { Confirm } from '../ui/form.tsx'
import { Moment } from '../ui/moment.tsx'
import { showDone } from '../ui/notices.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Row, Rows } from './rows.tsx'

interface OwnerSession {
  readonly id: number
  readonly createdAt: string
  readonly lastActiveAt: string
  /** Browser and system, in words. */
  readonly device: string
  readonly address: string
  readonly isCurrent: boolean
}

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => fetchDashboard<readonly OwnerSession[]>('GET', '/sessions'),
  meta: { topics: ['sessions', 'owner'] },
})

export function SessionsSection() {
  const query = useQuery(sessionsQuery)
  const [isAsking, setAsking] = useState(false)
  return (
    <Section
      title="Where you are signed in"
      lead="If you do not recognise a device, sign it out, then change your password."
      actions={
        <Button size="xs" variant="default" onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      }
    >
      <Loaded query={query}>
        {(sessions) => (
          <Rows>
            {sessions.map((session) => (
              <Device key={session.id} session={session} />
            ))}
          </Rows>
        )}
      </Loaded>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={() => signOut(true)}
      >
        This signs you out on all devices, including this one. You can then sign in again with your password.
      </Confirm>
    </Section>
  )
}

function Device({ session }: { readonly session: OwnerSession }) {
  async function end(): Promise<void> {
    await fetchDashboard('DELETE', `/sessions/${session.id}`)
    showDone(`${session.device} is signed out.`)
  }
  return (
    <Row
      title={
        <>
          {session.device} {session.isCurrent && <Status of={['This device', 'good']} />}
        </>
      }
      buttons={
        !session.isCurrent && (
          <ChangeButton size="xs" aria-label={`Sign out ${session.device}`} change={end}>
            Sign out
          </ChangeButton>
        )
      }
    >
      Last used <Moment time={session.lastActiveAt} isRelative />, from {session.address}; signed in{' '}
      <Moment time={session.createdAt} />
    </Row>
  )
}
