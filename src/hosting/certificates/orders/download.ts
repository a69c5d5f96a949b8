/** The certificate: it is examined before it is stored, since it will be served as it is. */

import type { X509Certificate } from 'node:crypto'
import { nodeCrypto } from '../../../lib/node/modules.ts'
import { loadX509 } from '../acme/load-x509.ts'
import { AcmeProblem } from '../acme/problem.ts'
import { OrderEnded, type RunningOrder, save } from './parts.ts'

export interface IssuedCertificate {
  /** The name of its files. */
  readonly file: string
  readonly key: string
  /** The certificate and its chain, in PEM. */
  readonly chain: string
  /** Unix milliseconds. */
  readonly notBefore: number
  readonly notAfter: number
  /** For ARI; null if the certificate has no authority key identifier. */
  readonly renewalId: string | null
}

const maximumCertificates = 10

/**
 * Downloads the certificate and stores it beside its key. Throws `OrderEnded` if it does not belong to the key or the name:
 * a new order is then needed.
 */
export async function download(order: RunningOrder, url: string): Promise<IssuedCertificate> {
  const { client, signer, signal, files, row } = order
  if (row.state !== 'issued') await save(order, { state: 'issued' })
  const reply = await client.post(url, undefined, signer, signal)
  const key = row.file === null ? undefined : await files.read(row.file, 'key')
  if (row.file === null || key === undefined) throw unusable('its private key is missing here')
  const chain = readChain(reply.text)
  const [leaf] = chain
  if (!leaf) throw unusable('it is not PEM')
  if (!leaf.checkPrivateKey(nodeCrypto().createPrivateKey(key))) throw unusable('it belongs to another key')
  if (leaf.checkHost(row.hostname, { subject: 'never', wildcards: false }) === undefined) {
    throw unusable(`it is not for ${row.hostname}`)
  }
  const notBefore = Date.parse(leaf.validFrom)
  const notAfter = Date.parse(leaf.validTo)
  if (!(notAfter > notBefore)) throw unusable('its times are not valid')
  const pem = chain.map((certificate) => certificate.toString().trimEnd()).join('\n')
  await files.write(row.file, 'pem', `${pem}\n`)
  const { renewalIdentifier } = await loadX509()
  const renewalId = renewalIdentifier(leaf.toString()) ?? null
  return { file: row.file, key, chain: `${pem}\n`, notBefore, notAfter, renewalId }
}

/** The certificates of a PEM text, the leaf first; empty if one of them can't be read. */
export function readChain(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    const { X509Certificate } = nodeCrypto()
    return blocks.slice(0, maximumCertificates).map((block) => new X509Certificate(block))
  } catch {
    return []
  }
}

function unusable(reason: string): OrderEnded {
  const detail = `The certificate authority issued a certificate that can't be used: ${reason}.`
  return new OrderEnded(new AcmeProblem({ type: 'about:blank', detail, subproblems: [] }, 0))
}
