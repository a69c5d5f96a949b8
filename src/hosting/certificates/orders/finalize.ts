/** The certificate request: its key is on disk before the authority gets it. */

import { newKey } from '../acme/jose.ts'
import { loadX509 } from '../acme/load-x509.ts'
import { AcmeProblem } from '../acme/problem.ts'
import type { Order } from '../acme/resources.ts'
import { OrderEnded, type RunningOrder, save } from './parts.ts'

/** Sends the certificate request of a validated order. */
export async function finalize(order: RunningOrder, found: Order): Promise<void> {
  const { client, signer, signal, row } = order
  const key = await orderKey(order)
  const { certificateRequest } = await loadX509()
  const csr = await certificateRequest(row.hostname, key)
  await save(order, { state: 'finalized' })
  try {
    await client.post(found.finalize, { csr }, signer, signal)
  } catch (error) {
    // Another look at the order decides.
    if (error instanceof AcmeProblem && error.type === 'orderNotReady') return
    throw isRejection(error) ? new OrderEnded(error) : error
  }
}

/** Whether the authority rejects the name or the request, and would do so again. */
function isRejection(error: unknown): error is AcmeProblem {
  if (!(error instanceof AcmeProblem) || error.status >= 500) return false
  return !['rateLimited', 'accountDoesNotExist', 'badNonce'].includes(error.type)
}

/** The private key of the order: the one on disk, or a new one. */
async function orderKey(order: RunningOrder): Promise<string> {
  const { files, row } = order
  const stored = row.file === null ? undefined : await files.read(row.file, 'key')
  if (stored !== undefined) return stored
  const key = await newKey()
  const file = row.file ?? files.newName()
  await files.write(file, 'key', key)
  await save(order, { state: 'ready', file })
  return key
}
