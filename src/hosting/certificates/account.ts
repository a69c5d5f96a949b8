/** The account at the certificate authority: its key is created and stored before the authority receives it. */

import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { asciiMailbox } from '../../lib/mailbox.ts'
import type { AcmeClient } from './acme/client.ts'
import { type EabCredentials, externalAccountBinding, newKey, readAccountKey } from './acme/jose.ts'
import { AccountRejected, AcmeProblem, AcmeUnavailable, isUnauthorized } from './acme/problem.ts'
import { Account, parseReply } from './acme/resources.ts'
import type { KeyFiles } from './files/key-files.ts'
import type { AccountSigner } from './issue.ts'
import type { AcmeAccountRow, CertificateStore } from './store.ts'

export interface Accounts {
  /**
   * The registered account; registers it if necessary. Throws `AccountRejected`, `AcmeProblem`, `AcmeUnavailable` or
   * `storage_unavailable`.
   */
  get(): Promise<AccountSigner>
  /**
   * Whether the account has ended, as the authority's error for a request of it says. The next `get` registers one
   * again.
   */
  hasEnded(signer: AccountSigner, error: unknown): Promise<boolean>
}

/** How long a rejection holds for all orders, so that many names cost the authority one request, in milliseconds. */
const rejectedMs = 60_000

export function createAccounts(parts: {
  readonly client: AcmeClient
  readonly store: CertificateStore
  readonly writer: Pick<Writer, 'write'>
  readonly files: KeyFiles
  readonly clock: Pick<Clock, 'monotonic'>
  readonly email: string | undefined
  readonly eab: EabCredentials | undefined
  /** Aborted when the service stops. */
  readonly lifetime: AbortSignal
}): Accounts {
  const { client, store, writer, files, clock, email, eab, lifetime } = parts
  let ready: Promise<AccountSigner> | undefined
  let rejectedAtMs: number | undefined
  const directory = client.directoryUrl

  const change = (values: Partial<AcmeAccountRow>) => writer.write(() => store.changeAccount(directory, values))

  /**
   * The row of the account and its key. Both exist before a request is sent, so that a restart finds the same account.
   */
  async function prepare() {
    const row = store.account(directory)
    const pem = row && (await files.read(row.file, 'key'))
    if (row && pem !== undefined) return { row, key: readAccountKey(pem) }
    const { file, key } = await addKey()
    await writer.write(() => {
      if (row) store.changeAccount(directory, { file, url: null })
      else store.addAccount(directory, file)
    })
    const added = store.account(directory)
    if (!added) throw new Error('the account that was just added is missing')
    return { row: added, key: readAccountKey(key) }
  }

  async function addKey() {
    const file = files.newName()
    const key = await newKey()
    await files.write(file, 'key', key)
    return { file, key }
  }

  /** Whether the authority no longer accepts requests of the account. */
  async function isDeactivated(signer: AccountSigner): Promise<boolean> {
    try {
      const reply = await client.post(signer.accountUrl, undefined, signer, lifetime)
      return parseReply(Account, reply.text, 'an account').status !== 'valid'
    } catch (error) {
      if (isUnauthorized(error)) return true
      throw error
    }
  }

  async function hasEnded(signer: AccountSigner, error: unknown): Promise<boolean> {
    const isForgotten = error instanceof AcmeProblem && error.type === 'accountDoesNotExist'
    if (!isForgotten && !(isUnauthorized(error) && (await isDeactivated(signer)))) return false
    // With its old key the authority would return the account that was deactivated.
    const file = isForgotten ? undefined : (await addKey()).file
    const isNoticed = await writer.write(() => {
      // Another order may have noticed it as well.
      if (store.account(directory)?.url !== signer.accountUrl) return true
      store.changeAccount(directory, { url: null, ...(file === undefined ? {} : { file }) })
      ready = undefined
      return false
    })
    if (isNoticed && file !== undefined) await files.remove(file)
    return true
  }

  async function open(): Promise<AccountSigner> {
    const { row, key } = await prepare()
    const { newAccount, meta } = await client.directory(lifetime)
    await change({ termsOfService: meta?.termsOfService ?? null, caaIdentities: meta?.caaIdentities ?? [] })
    const contact = email === undefined ? [] : [`mailto:${asciiMailbox(email)}`]
    if (row.url !== null) {
      const signer = { id: row.id, key, accountUrl: row.url }
      if (row.email === (email ?? null)) return signer
      try {
        await client.post(row.url, { contact }, signer, lifetime)
        await change({ email: email ?? null })
        return signer
      } catch (error) {
        if (!(await hasEnded(signer, error))) throw error
        return open()
      }
    }
    if (meta?.externalAccountRequired && !eab) throw eabRequired()
    const payload = {
      termsOfServiceAgreed: true,
      ...(email === undefined ? {} : { contact }),
      ...(eab ? { externalAccountBinding: externalAccountBinding(eab, key, newAccount) } : {}),
    }
    // With a key that it knows the authority returns the account that exists (RFC 8555, section 7.3.1).
    const reply = await client.post(newAccount, payload, { key, accountUrl: undefined }, lifetime)
    const accountUrl = reply.headers.get('location')
    if (!accountUrl) throw new AcmeUnavailable('The certificate authority sent an account without an address.')
    await change({ url: accountUrl, email: email ?? null })
    return { id: row.id, key, accountUrl }
  }

  return {
    get() {
      if (rejectedAtMs !== undefined && clock.monotonic() - rejectedAtMs >= rejectedMs) {
        ready = undefined
        rejectedAtMs = undefined
      }
      // Orders that run at the same time share the registration. One that fails is tried again by the next order.
      ready ??= open().catch((error) => {
        if (isRejection(error)) {
          rejectedAtMs = clock.monotonic()
          throw new AccountRejected(error)
        }
        ready = undefined
        throw error
      })
      return ready
    },
    hasEnded,
  }
}

/** Whether the authority rejects the registration itself, and would do so again at once. */
function isRejection(error: unknown): error is AcmeProblem {
  return error instanceof AcmeProblem && error.status < 429 && !['rateLimited', 'badNonce'].includes(error.type)
}

function eabRequired(): AcmeProblem {
  const detail =
    'The certificate authority requires an external account: set --acme-eab-kid and --acme-eab-key to the values that it gave you.'
  return new AcmeProblem({ type: 'externalAccountRequired', detail, subproblems: [] }, 0)
}
