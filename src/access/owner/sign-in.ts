/**
 * Signs the owner in, and checks the current password before a change. A wrong e-mail address takes the same time as a
 * wrong password, because the password is checked against the only hash there is before the addresses are compared;
 * both get the same words.
 */

import type { Log } from '../../lib/log.ts'
import { storeAccount } from '../accounts/store-account.ts'
import type { Guesses, Source } from './credentials/guesses.ts'
import { comparedEmail, storedEmail } from './email.ts'
import { DashboardError } from './error.ts'
import { assertPassword } from './rules.ts'
import { type Browser, knownBrowser, type StartedSession, startSession } from './sessions.ts'
import type { SetUpParts } from './set-up.ts'
import type { OwnerRow, SessionRow } from './store.ts'

export interface SignInParts extends SetUpParts {
  readonly guesses: Guesses
  readonly log: Log
}

export interface Credentials {
  readonly email: string
  readonly password: string
}

/** Throws `no_owner`, `wrong_credentials` and `too_many_guesses`. */
export async function signIn(
  parts: SignInParts,
  { email, password }: Credentials,
  browser: Browser,
): Promise<StartedSession> {
  const owner = parts.owner.find()
  if (!owner) throw noOwner()
  const known = knownBrowser(parts.owner, browser)
  const source: Source =
    known === undefined ? { kind: 'stranger', network: browser.network } : { kind: 'known', name: `browser ${known}` }
  const isSame = await check(parts, source, async () => {
    const isPassword = await parts.passwords.verify(password, owner.passwordHash, source.kind)
    return isPassword && comparedEmail(email) === comparedEmail(owner.email)
  })
  if (!isSame) throw wrongCredentials()
  return await parts.writer.write(() => {
    // The owner may have been reset, or changed the password, while the password was checked.
    if (parts.owner.find()?.passwordHash !== owner.passwordHash) throw wrongCredentials()
    return startSession(parts, browser, { actor: 'owner', nowMs: parts.clock.now() })
  })
}

/** Changes the owner's e-mail address and ends the other sessions. Throws `wrong_password`, `invalid_body`. */
export async function changeEmail(
  parts: SignInParts,
  { email, password }: Credentials,
  session: SessionRow,
): Promise<{ readonly email: string }> {
  const stored = storedEmail(email)
  const owner = await confirmPassword(parts, password, session)
  await change(parts, owner, session, { email: stored }, { email: stored })
  return { email: stored }
}

/** Changes the owner's password and ends the other sessions. Throws `wrong_password`, `invalid_body`. */
export async function changePassword(
  parts: SignInParts,
  { password, newPassword }: { readonly password: string; readonly newPassword: string },
  session: SessionRow,
): Promise<void> {
  assertPassword('newPassword', newPassword)
  const owner = await confirmPassword(parts, password, session)
  const passwordHash = await parts.passwords.hash(newPassword, 'known')
  await change(parts, owner, session, { passwordHash, passwordChangedAt: parts.clock.now() }, { password: 'changed' })
}

/** Returns the owner whose current password this is. Throws `wrong_password`. */
export async function confirmPassword(parts: SignInParts, password: string, { id }: SessionRow): Promise<OwnerRow> {
  const owner = parts.owner.find()
  if (!owner) throw noOwner()
  const source = { kind: 'known', name: `session ${id}` } as const
  const isSame = await check(parts, source, () => parts.passwords.verify(password, owner.passwordHash, 'known'))
  if (!isSame) throw new DashboardError('wrong_password', 'That is not your current password. Nothing was changed.')
  return owner
}

async function change(
  parts: SignInParts,
  owner: OwnerRow,
  session: SessionRow,
  changes: Parameters<SignInParts['owner']['update']>[0],
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await parts.writer.write(() => {
    const isSigned = parts.owner.findSession(session.sha256) !== undefined
    if (!isSigned || parts.owner.find()?.passwordHash !== owner.passwordHash) {
      throw new DashboardError('signed_out', 'The password was changed in the meantime. Sign in again.')
    }
    const context = { actor: 'owner', nowMs: parts.clock.now() } as const
    parts.owner.update(changes)
    // Links that were mailed to the old address, or for the old password.
    parts.owner.deleteLinks()
    const endedSessions = parts.owner.deleteSessions(session.id)
    const accountId = storeAccount(parts, context).id
    parts.audit.add(context, { action: 'owner.changed', accountId, details: { ...details, endedSessions } })
  })
}

/** Counts a password as wrong until `compare` says that it is right. */
async function check({ guesses, log }: SignInParts, source: Source, compare: () => Promise<boolean>): Promise<boolean> {
  const guess = guesses.begin(source)
  if (typeof guess === 'number') {
    const wait = guess === 1 ? '1 second' : guess < 120 ? `${guess} seconds` : `${Math.ceil(guess / 60)} minutes`
    throw new DashboardError('too_many_guesses', `There were too many wrong passwords. Try again in ${wait}.`, {
      retryAfterSeconds: guess,
    })
  }
  let isRight = false
  try {
    isRight = await compare()
  } catch (error) {
    guess.cancel()
    throw error
  }
  if (isRight) guess.right()
  else {
    guess.wrong()
    log.warn('a wrong password or e-mail address was entered on the dashboard', { from: nameOf(source) })
  }
  return isRight
}

function nameOf(source: Source): string {
  return source.kind === 'known' ? source.name : source.network
}

function wrongCredentials(): DashboardError {
  return new DashboardError('wrong_credentials', 'The e-mail address or the password is wrong. Check both.')
}

function noOwner(): DashboardError {
  const advice = 'Open the set-up link that petstore printed when it started, or print one with: petstore owner reset'
  return new DashboardError('no_owner', `The dashboard has no owner yet. ${advice}`)
}
