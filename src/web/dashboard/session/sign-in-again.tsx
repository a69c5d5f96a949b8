/** The session ended while a page is open: asks for the password above it, and the page continues where it was. */

import { Anchor, Modal, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { leave, loadSession } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'

export function SignInAgain({ opened, email }: { readonly opened: boolean; readonly email: string }) {
  // The owner may have signed in meanwhile in another window.
  useEffect(() => {
    if (!opened) return
    const check = () => void loadSession().catch(() => {})
    addEventListener('focus', check)
    return () => removeEventListener('focus', check)
  }, [opened])

  return (
    <Modal
      opened={opened}
      onClose={() => {}}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      title="Sign in again"
      zIndex={600}
    >
      <Stack>
        <Text>
          Your session has ended. Nothing on this page is lost: sign in as <strong>{email}</strong> to continue.
        </Text>
        <SignInForm email={email} />
        <Anchor component="button" type="button" size="sm" onClick={leave}>
          Leave this page and sign in as somebody else
        </Anchor>
      </Stack>
    </Modal>
  )
}
