/** How to get a new set-up link: most owners did not install the store themselves. */

import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { emailProblem } from '../session/credentials.ts'
import { fetchDashboard } from '../session/session.ts'
import { Form, useFields } from '../ui/form.tsx'
import { emailInput } from './sign-in-form.tsx'

export function NewLink() {
  return (
    <>
      <p>
        Ask whoever set up the computer that the store runs on for a new link. On that computer, this command prints it:
      </p>
      <code className="command">petstore owner reset</code>
    </>
  )
}

export function ForgotPassword({ sendsMail }: { readonly sendsMail: boolean }) {
  return (
    <details>
      <summary>Forgot your password?</summary>
      {sendsMail && <LinkByMail />}
      <p>
        {sendsMail ? 'Without that mailbox, a' : 'A'} new set-up link lets you choose another one. Your animals, orders
        and keys stay.
      </p>
      <NewLink />
    </details>
  )
}

/** Asks for a link by mail. The answer is the same whether the address is the owner's. */
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
      <p role="status">
        If this is the owner’s address, a mail with a link is on its way. The link works for 30 minutes. If no mail
        comes, look in the spam folder, and ask again after ten minutes.
      </p>
    )
  }
  return (
    <Form onSubmit={send} action="Send link">
      <TextInput
        {...emailInput}
        {...of('email')}
        label="Your e-mail"
        description="You get a link to choose a new password."
      />
    </Form>
  )
}
