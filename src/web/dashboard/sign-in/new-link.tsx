/** How to get a new set-up link. Most owners did not install the store themselves. */

import { Box, Code, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { emailProblem } from '../session/credentials.ts'
import { fetchDashboard, useSessionState } from '../session/session.ts'
import { resetCommand, whereToRun } from '../settings/commands.ts'
import { Form, useFields } from '../ui/form.tsx'
import { emailInput } from './sign-in-form.tsx'

export function NewLink() {
  const state = useSessionState()
  const place = state.status === 'signed-out' ? state.entrance.place : undefined
  const command = place && place.folder !== null ? resetCommand(place) : undefined
  return (
    <>
      <Text inherit my="xs">
        Ask the person who set up the store for a new link.
        {place && command && ` This command prints it ${whereToRun(place)}:`}
      </Text>
      {command && <Code block>{command}</Code>}
    </>
  )
}

export function ForgotPassword({ sendsMail }: { readonly sendsMail: boolean }) {
  return (
    <Box component="details" mt="md" fz="0.9rem" c="dimmed">
      <summary>Forgot your password?</summary>
      {sendsMail && <LinkByMail />}
      <Text inherit my="xs">
        {sendsMail ? 'Without that mailbox, a' : 'A'} new set-up link lets you choose another password. Your animals,
        orders and keys stay.
      </Text>
      <NewLink />
    </Box>
  )
}

/** Asks for a link by mail. The answer does not reveal whether the address is the owner's. */
function LinkByMail() {
  const { values, of, reject } = useFields({ email: '' })
  const [isSent, setSent] = useState(false)

  async function send(): Promise<void> {
    const email = values.email.trim()
    if (reject({ email: emailProblem(email) })) return
    await fetchDashboard('POST', '/password-link', { email })
    setSent(true)
  }

  if (isSent) {
    return (
      <Text inherit my="xs" role="status">
        If this is the owner’s address, a mail with a link is on its way. The link works for 30 minutes. If no mail
        comes, look in the spam folder, and ask again after ten minutes.
      </Text>
    )
  }
  return (
    <Box c="var(--mantine-color-text)">
      <Form onSubmit={send} action="Send link">
        <TextInput
          {...emailInput}
          {...of('email')}
          label="Your e-mail"
          description="You get a link to choose a new password."
        />
      </Form>
    </Box>
  )
}
