/** The devices on which the owner is signed in. */

import { queryOptions, useQuery } from '@tanstack/react-query'
import { fetchDashboard, signOut } from '../session/session.ts'
import { ChangeButton } from '../ui/change.tsx'
import { ConfirmButton } from '../ui/form.tsx'
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
  return (
    <Section
      title="Where you are signed in"
      lead="If you do not recognise a device, sign it out, then change your password."
      actions={
        <ConfirmButton
          size="xs"
          title="Sign out everywhere?"
          action="Sign out everywhere"
          onConfirm={() => signOut(true)}
        >
          This signs you out on all devices, including this one. You can then sign in again with your password.
        </ConfirmButton>
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
          <ChangeButton aria-label={`Sign out ${session.device}`} change={end}>
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
