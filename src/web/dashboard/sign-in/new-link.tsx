/** How to get a new set-up link: most owners did not install the store themselves. */

import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { emailProblem } from '../session/email.ts'
import { fetchDashboard } from '../session/request.ts'
import { Form } from '../ui/form/form.tsx'
import { useTextField } from '../ui/form/text-field.ts'

export function NewLink() {
  return (
    <>
      <p>
        Ask the person who installed the store for a new link. On the computer that the store runs on, this command
        prints it:
      </p>
      <code className="command">petstore owner reset</code>
    </>
  )
}

export function ForgotPassword({ sendsMail = false }: { readonly sendsMail?: boolean }) {
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
  const email = useTextField()
  const [isSent, setSent] = useState(false)

  async function send(): Promise<void> {
    const problem = emailProblem(email.value.trim())
    if (problem !== undefined) return email.reject(problem)
    await fetchDashboard('POST', '/password-link', { email: email.value.trim() })
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
        {...email.props}
        label="Your e-mail"
        description="You get a link to choose a new password."
        type="email"
        autoComplete="username"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Form>
  )
}
