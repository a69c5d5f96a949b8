/**
 * Set-up links: only such a link makes an owner. Only success uses it up. A link that was mailed to the owner sets a
 * new password in the same way.
 */

import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { storeAccount } from '../accounts/store-account.ts'
import type { AuditContext } from '../audit/store.ts'
import { sha256 } from '../keys/rules.ts'
import type { Passwords } from './credentials/passwords.ts'
import { isSecret, newSecret } from './credentials/secret.ts'
import { storedEmail } from './email.ts'
import { DashboardError } from './error.ts'
import { assertPassword, isUsable } from './rules.ts'
import { type Browser, type OwnerStores, type StartedSession, startSession } from './sessions.ts'

export interface SetUp {
  readonly token: string
  readonly email: string
  readonly password: string
}

/** Makes the token of a new set-up link; to be called in a transaction. */
export function createSetupToken({ owner }: Pick<OwnerStores, 'owner'>, nowMs: number): string {
  const token = newSecret()
  owner.addLink(sha256(token), nowMs)
  return token
}

/** Voids one set-up link; to be called in a transaction. */
export function deleteSetupToken({ owner }: Pick<OwnerStores, 'owner'>, token: string): void {
  owner.deleteLink(sha256(token))
}

/** The link in which the page finds the token. Browsers do not send the part behind `#` to any server. */
export function setupUrl(dashboardUrl: string, token: string): string {
  return `${dashboardUrl}/setup#token=${token}`
}

/**
 * Removes the owner, ends every session, and voids every link but the one with this token; to be called in a
 * transaction.
 */
export function resetOwner(stores: OwnerStores, context: AuditContext, token: string): void {
  const hadOwner = stores.owner.find() !== undefined
  stores.owner.clear()
  const accountId = storeAccount(stores, context).id
  stores.audit.add(context, { action: 'owner.reset', accountId, details: { hadOwner } })
  stores.owner.addLink(sha256(token), context.nowMs)
}

export interface SetUpParts extends OwnerStores {
  readonly writer: Writer
  readonly clock: Clock
  readonly passwords: Passwords
}

/** Makes the owner and signs the browser in. Throws `setup_link_invalid`, and `invalid_body` for e-mail or password. */
export async function setUp(
  parts: SetUpParts,
  { token, email, password }: SetUp,
  browser: Browser,
): Promise<StartedSession> {
  const { owner, audit, writer, clock, passwords } = parts
  assertLink(parts, token)
  const stored = storedEmail(email)
  assertPassword('password', password)
  const passwordHash = await passwords.hash(password, 'known')
  return await writer.write(() => {
    // Of two set-ups at once, the second finds no link.
    assertLink(parts, token)
    const nowMs = clock.now()
    const context = { actor: 'owner', nowMs } as const
    const hadOwner = owner.find() !== undefined
    owner.clear()
    owner.add({ email: stored, passwordHash, createdAt: nowMs, passwordChangedAt: nowMs })
    const accountId = storeAccount(parts, context).id
    const action = hadOwner ? 'owner.changed' : 'owner.created'
    const details = { email: stored, ...(hadOwner ? { password: 'changed' } : {}) }
    audit.add(context, { action, accountId, details })
    return startSession(parts, browser, context)
  })
}

/** Whether the token can make the owner now. Checking does not use it up. */
export function isLinkUsable({ owner, clock }: Pick<SetUpParts, 'owner' | 'clock'>, token: string): boolean {
  const link = isSecret(token) ? owner.findLink(sha256(token)) : undefined
  return link !== undefined && isUsable(link.createdAt, clock.now())
}

function assertLink(parts: Pick<SetUpParts, 'owner' | 'clock'>, token: string): void {
  if (isLinkUsable(parts, token)) return
  const advice = 'Print a new one with: petstore owner reset'
  throw new DashboardError('setup_link_invalid', `This set-up link has expired or has been used. ${advice}`)
}
