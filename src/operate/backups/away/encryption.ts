/**
 * Encryption of what leaves the machine, in the format of age (https://age-encryption.org/v1): the program `age` reads
 * it, too.
 */

import { readFileSync } from 'node:fs'
import { AppError } from '../../../lib/error.ts'
import { streamOf } from '../../../lib/stream.ts'
import { systemReason } from '../../../lib/system-error.ts'

export interface AgeKeys {
  /** Secret: `AGE-SECRET-KEY-1…`. */
  readonly identity: string
  readonly recipient: string
}

// Loaded late, because few processes encrypt.
const load = () => import('age-encryption')

export async function createAgeKeys(): Promise<AgeKeys> {
  const { generateX25519Identity, identityToRecipient } = await load()
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/** The content, encrypted for each of the recipients; as it is if there are none. */
export async function encrypted(
  content: AsyncIterable<Uint8Array>,
  recipients: readonly string[],
): Promise<AsyncIterable<Uint8Array>> {
  if (recipients.length === 0) return content
  const { Encrypter } = await load()
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return await encrypter.encrypt(streamOf(content))
}

/**
 * Decrypts with any of the identities. Throws `invalid_body`, also while it is read, if they are the wrong ones or the
 * content was changed.
 */
export async function* decrypted(
  content: AsyncIterable<Uint8Array>,
  identities: readonly string[],
  name: string,
): AsyncGenerator<Uint8Array, void> {
  const { Decrypter } = await load()
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  let fault: unknown
  async function* source() {
    try {
      yield* content
    } catch (error) {
      fault = error
      throw error
    }
  }
  try {
    yield* await decrypter.decrypt(streamOf(source()))
  } catch (cause) {
    // The bucket failed, not the content.
    if (fault !== undefined) throw fault
    const isWrong = cause instanceof Error && /no identity matched/.test(cause.message)
    const reason = isWrong ? 'it is encrypted for another identity' : 'it is damaged: it cannot be decrypted'
    throw new AppError('invalid_body', `${name} can't be used: ${reason}.`, { cause })
  }
}

/** The identities of a file: the lines of it that have one. Throws `not_found` or `invalid_body`. */
export async function readIdentities(path: string): Promise<string[]> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new AppError('not_found', `The identity ${path} can't be read: ${systemReason(cause)}.`, { cause })
  }
  const { identityToRecipient } = await load()
  // The file may be what `petstore backup keys create` or `age-keygen` has printed, or typed from paper.
  const identities = text
    .toUpperCase()
    .split(/\s+/)
    .filter((word) => word.startsWith('AGE-SECRET-KEY-'))
  if (identities.length === 0) {
    const message = `${path} has no age identity: a line with AGE-SECRET-KEY-1 and 58 more letters and digits.`
    throw new AppError('invalid_body', message)
  }
  for (const identity of identities) {
    try {
      await identityToRecipient(identity)
    } catch {
      // Neither the line nor the cause, which repeats it: it is secret.
      throw new AppError(
        'invalid_body',
        `A letter or digit of the identity in ${path} is wrong. Compare it with the paper.`,
      )
    }
  }
  return identities
}
