/** The sign-in page. Without an owner, it says how to set up the store. */

import { Alert } from '@mantine/core'
import type { Entrance } from '../session/session.ts'
import { Frame, UnsafeConnection } from './frame.tsx'
import { ForgotPassword, NewLink } from './new-link.tsx'
import { SignInForm } from './sign-in-form.tsx'

const unsafeConnections = ['public', 'unknown_proxy']

export function SignInPage({ entrance }: { readonly entrance: Entrance }) {
  const { hasOwner, connection, environment, sendsMail = false } = entrance
  const isStaging = environment === 'staging'
  if (connection !== undefined && unsafeConnections.includes(connection.kind)) {
    return <UnsafeConnection message={connection.message ?? ''} isStaging={isStaging} />
  }
  if (!hasOwner) return <NoOwner isStaging={isStaging} />
  return (
    <Frame title="Sign in" isStaging={isStaging}>
      {typeof connection?.message === 'string' && (
        <Alert color="amber" mb="md">
          {connection.message}
        </Alert>
      )}
      <SignInForm />
      <ForgotPassword sendsMail={sendsMail} />
    </Frame>
  )
}

function NoOwner({ isStaging }: { readonly isStaging: boolean }) {
  return (
    <Frame title="Set up your store" isStaging={isStaging}>
      <p>This store has no owner yet. Open the set-up link that the store printed when it started.</p>
      <p>The link works for 30 minutes.</p>
      <NewLink />
    </Frame>
  )
}
