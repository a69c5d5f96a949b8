/** Reads `--platform-cert` and `--platform-key`, and reads them again when the files change. */

import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Certificate } from '../../api/host.ts'
import { AppError, messageOf } from '../../lib/error.ts'
import { nodeCrypto } from '../../lib/late-modules.ts'
import type { Log } from '../../lib/log.ts'
import type { Job } from '../../lib/scheduler.ts'
import { isSystemError, systemReason } from '../../lib/system-error.ts'

/** A certificate for many names. */
export interface Wildcard extends Certificate {
  covers(name: string): boolean
}

export interface PlatformCertificate {
  /** Throws `storage_unavailable` if the files can't be used. */
  open(): Promise<void>
  readonly job: Job
}

export function createPlatformCertificate(options: {
  readonly platformCert: string
  readonly platformKey: string
  readonly log: Log
  /** Puts the certificate in use. */
  readonly use: (wildcard: Wildcard) => void
}): PlatformCertificate {
  const { platformCert, platformKey, log, use } = options
  /** The state of the files that was last read, successfully or not. */
  let seen = ''
  /** The state of the files at the last check. */
  let last = ''

  async function read(): Promise<void> {
    const [cert, key] = await Promise.all([readPem(platformCert), readPem(platformKey)])
    use(readWildcard({ cert, key }))
  }

  const state = () => [platformCert, platformKey].map(stateOf).join()

  return {
    async open() {
      seen = state()
      last = seen
      try {
        await read()
      } catch (cause) {
        const message = `The certificate of --platform-cert and --platform-key can't be used: ${reason(cause)}.`
        throw new AppError('storage_unavailable', message, { cause })
      }
    },
    job: {
      name: 'read the platform certificate again',
      everyMs: 5_000,
      async run() {
        const now = state()
        // Between two writes the files do not belong together: they are read when they rest.
        const rests = now === last
        last = now
        if (!rests || now === seen) return
        seen = now
        try {
          await read()
          log.info('the platform certificate was read again', { path: platformCert })
        } catch (error) {
          log.error(`the changed platform certificate cannot be used, the one before stays in use: ${reason(error)}`, {
            path: platformCert,
          })
        }
      },
    },
  }
}

/**
 * The text of a file without byte order marks: editors of Windows write one, and a chain of several files has several.
 */
async function readPem(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replaceAll('\ufeff', '')
}

function stateOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? 'missing' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`
}

function reason(error: unknown): string {
  if (!isSystemError(error)) return messageOf(error)
  const path = error instanceof Error && 'path' in error ? `${String(error.path)}: ` : ''
  return `${path}${systemReason(error)}`
}

/** Throws an Error that says in words for people why the certificate can't be used. */
function readWildcard({ cert, key }: Certificate): Wildcard {
  const { createPrivateKey, X509Certificate } = nodeCrypto()
  const leaf = parse(() => new X509Certificate(cert), 'the certificate is not a certificate in PEM')
  const privateKey = parse(() => createPrivateKey(key), 'the key is not a private key in PEM, or needs a passphrase')
  if (!leaf.checkPrivateKey(privateKey)) throw new Error('the key does not belong to the certificate')
  return { cert, key, covers: (name) => leaf.checkHost(name, { subject: 'never' }) !== undefined }
}

function parse<T>(read: () => T, message: string): T {
  try {
    return read()
  } catch (cause) {
    throw new Error(message, { cause })
  }
}
