/**
 * Creates the owner with the token of the set-up link. The token is removed from the address at once, so that no history keeps
 * it and no request sends it. This tab keeps it until it is used, so that the page can be reloaded.
 */

import { Button, PasswordInput, Text, TextInput } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { isApiError } from '../api/error.ts'
import { emailProblem, passwordProblem, shortestPassword } from '../session/credentials.ts'
import { checkSetupLink, setUp } from '../session/session.ts'
import { Form, useFields } from '../ui/form.tsx'
import { Failure } from '../ui/states.tsx'
import { Frame, UnsafeConnection } from './frame.tsx'
import { NewLink } from './new-link.tsx'
import { emailInput } from './sign-in-form.tsx'

const keptAs = 'petstore-setup-token'
const givenToken = takeToken()

/** The token of the address or, after a reload, the one that this tab keeps. */
function takeToken(): string | undefined {
  if (!location.pathname.endsWith('/setup')) return undefined
  const found = new URLSearchParams(location.hash.slice(1)).get('token')
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname)
  try {
    if (found !== null) sessionStorage.setItem(keptAs, found)
    return found ?? sessionStorage.getItem(keptAs) ?? undefined
  } catch {
    // The browser keeps nothing for this page: a reload then needs the link again.
    return found ?? undefined
  }
}

function dropToken(): void {
  try {
    sessionStorage.removeItem(keptAs)
  } catch {
    // Nothing was kept.
  }
}

export function SetUpPage() {
  const [token, setToken] = useState(givenToken)
  // Somebody pastes the link into the address bar of this very page.
  useWindowEvent('hashchange', () => setToken(takeToken() ?? token))
  const { data, error, refetch } = useQuery({
    queryKey: ['set-up link', token],
    queryFn: () => checkSetupLink(token ?? ''),
    // A form that is being filled in stays.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  useEffect(() => {
    if (data?.isUsable === false) dropToken()
  }, [data])
  if (data?.isUsable === true)
    return <SetUpForm token={token ?? ''} email={data.email} onEnded={() => void refetch()} />
  if (data !== undefined) return data.hasOwner ? <HasOwner /> : <LinkNeeded hasEnded={token !== undefined} />
  // A moment at most: an indicator would only flash.
  if (error === null) return null
  if (isApiError(error, 'https_required')) return <UnsafeConnection message={error.message} />
  return (
    <Frame title="Set up your store">
      <Failure error={error} onRetry={() => void refetch()} />
    </Frame>
  )
}

interface SetUpFormProps {
  readonly token: string
  /** Of the owner who chooses a new password; undefined if there is no owner yet. */
  readonly email: string | undefined
  /** Called if the link has ended since the page was opened. */
  readonly onEnded: () => void
}

function SetUpForm({ token, email: known, onEnded }: SetUpFormProps) {
  const { values, of, reject } = useFields({ email: known ?? '', password: '' })
  const [, navigate] = useLocation()

  async function submit(): Promise<void> {
    const email = values.email.trim()
    if (reject({ email: emailProblem(email), password: passwordProblem(values.password) })) return
    try {
      await setUp(token, email, values.password)
    } catch (error) {
      if (isApiError(error, 'setup_link_invalid')) onEnded()
      throw error
    }
    dropToken()
    navigate('/', { replace: true })
  }

  return (
    <Frame title={known === undefined ? 'Set up your store' : 'Choose a new password'}>
      <Text mb="md">
        {known === undefined
          ? 'Choose how you will sign in. The store has one owner. If it had one before, its animals, orders and keys stay as they are.'
          : 'It replaces the old one. You are signed out on all other devices.'}
      </Text>
      <Form onSubmit={submit} action={known === undefined ? 'Set up store' : 'Save password'} isWide>
        <TextInput
          {...emailInput}
          {...of('email')}
          description="To sign in, and for mail when something needs your attention."
        />
        <PasswordInput
          {...of('password')}
          label="Password"
          description={`At least ${shortestPassword} characters.`}
          name="password"
          autoComplete="new-password"
        />
      </Form>
    </Frame>
  )
}

function HasOwner() {
  return (
    <Frame title="Your store is set up">
      <p>
        Nothing is lost: a link works once, and only for 30 minutes. Sign in with your e-mail address and password. If
        you forgot the password, the sign-in page says how to get a new link.
      </p>
      <Button component="a" href="/dashboard/" fullWidth>
        Sign in
      </Button>
    </Frame>
  )
}

function LinkNeeded({ hasEnded }: { readonly hasEnded: boolean }) {
  return (
    <Frame title={hasEnded ? 'This set-up link no longer works' : 'Set up your store'}>
      <p>
        {hasEnded
          ? 'A set-up link works for 30 minutes, until the store is set up, or until a newer link is made.'
          : 'This page needs the whole set-up link that the store printed when it started. If you have the link, open it again: it works for 30 minutes, until the store is set up.'}
      </p>
      <NewLink />
    </Frame>
  )
}
