/** The account at the certificate authority: its key is made and stored before the authority hears of it. */

import type { Writer } from '../../database/writer.ts'
import type { AcmeClient } from '../acme/client.ts'
import { type EabCredentials, externalAccountBinding, newKey, readAccountKey } from '../acme/jose.ts'
import { AcmeProblem, AcmeUnavailable } from '../acme/problem.ts'
import type { KeyFiles } from '../files/key-files.ts'
import type { AcmeAccountRow, CertificateStore } from '../store.ts'
import type { AccountSigner } from './parts.ts'

export interface AccountParts {
  readonly client: AcmeClient
  readonly store: CertificateStore
  readonly writer: Pick<Writer, 'write'>
  readonly files: KeyFiles
  readonly email: string | undefined
  readonly eab: EabCredentials | undefined
  /** Aborted when the service stops. */
  readonly lifetime: AbortSignal
}

export interface Accounts {
  /** The registered account; registers it if necessary. Throws `AcmeProblem`, `AcmeUnavailable` or `storage_unavailable`. */
  get(): Promise<AccountSigner>
  /** The authority does not know the account: it is registered again, with the same key. */
  invalidate(): Promise<void>
}

export function createAccounts({ client, store, writer, files, email, eab, lifetime }: AccountParts): Accounts {
  let ready: Promise<AccountSigner> | undefined
  const directory = client.directoryUrl

  const change = (values: Partial<AcmeAccountRow>) => writer.write(() => store.changeAccount(directory, values))

  /** The row of the account and its key. Both exist before a request is sent, so that a restart finds the same account. */
  async function prepare() {
    const row = store.account(directory)
    const pem = row && (await files.read(row.file, 'key'))
    if (row && pem !== undefined) return { row, key: readAccountKey(pem) }
    const file = files.newName()
    const key = await newKey()
    await files.write(file, 'key', key)
    await writer.write(() => {
      if (row) store.changeAccount(directory, { file, url: null })
      else store.addAccount(directory, file)
    })
    const added = store.account(directory)
    if (!added) throw new Error('the account that was just added is missing')
    return { row: added, key: readAccountKey(key) }
  }

  async function open(): Promise<AccountSigner> {
    const { row, key } = await prepare()
    const { newAccount, meta } = await client.directory(lifetime)
    await change({ termsOfService: meta?.termsOfService ?? null, caaIdentities: meta?.caaIdentities ?? [] })
    const contact = email === undefined ? [] : [`mailto:${email}`]
    if (row.url !== null) {
      const signer = { id: row.id, key, accountUrl: row.url }
      if (row.email === (email ?? null)) return signer
      try {
        await client.post(row.url, { contact }, signer, lifetime)
        await change({ email: email ?? null })
        return signer
      } catch (error) {
        if (!(error instanceof AcmeProblem && error.type === 'accountDoesNotExist')) throw error
        await change({ url: null })
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
      // Orders that run at the same time share the registration. One that fails is tried again by the next order.
      ready ??= open().catch((error) => {
        ready = undefined
        throw error
      })
      return ready
    },
    async invalidate() {
      ready = undefined
      await change({ url: null })
    },
  }
}

function eabRequired(): AcmeProblem {
  const detail =
    'The certificate authority requires an external account: set --acme-eab-kid and --acme-eab-key to the values that it gave you.'
  return new AcmeProblem({ type: 'externalAccountRequired', detail, subproblems: [] }, 0)
}
