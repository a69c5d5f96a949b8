/** Compares the names that want a certificate with the table: adds, removes, and restores them. */

import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { KeyFiles } from './files/key-files.ts'
import { readUsable, type Served, type UsableCertificate } from './files/served.ts'
import { noFailure } from './rules.ts'
import type { CertificateRow, CertificateStore, NameRow, OrderRow } from './store.ts'
import type { CertificateKind } from './table.ts'

/** A name that wants a certificate. */
export interface WantedCertificate {
  /** A-labels, lower case. */
  readonly hostname: string
  /** The account whose project has the name; null for the platform's own. */
  readonly accountId: number | null
  readonly kind: CertificateKind
}

/** The names that want a certificate, at any time. */
export type WantedNames = () => Iterable<WantedCertificate>

export interface NameParts {
  readonly store: CertificateStore
  readonly writer: Pick<Writer, 'write'>
  readonly files: KeyFiles
  readonly served: Served
  readonly clock: Pick<Clock, 'now'>
  readonly wanted: WantedNames
  /** Ends the attempt for a name, if one is running. */
  readonly abort: (hostname: string) => void
}

/** How many names are changed in one transaction. */
const step = 100

/**
 * The next attempt is due at once, unless the authority has set a limit. A check before the last order may have failed
 * for a reason that is none of the `present` findings: that is corrected.
 */
export function retryNow({ problem }: CertificateRow, present: readonly string[]): Partial<CertificateRow> {
  const isCorrected = problem?.source === 'held' && !present.includes(problem.type)
  return { nextAttemptAt: null, ...(isCorrected ? { problem: null, failures: 0, failedAt: null } : {}) }
}

const noFile = { file: null, directory: null, renewalId: null, notBefore: null, notAfter: null, installedAt: null }
const noRenewal = { renewAt: null, renewalCheckAt: null, renewalWindow: null }

/**
 * Brings the table in line with the wanted names. The certificate of a removed name stays on disk, unserved, and is
 * used again if the same account wants the name again; if another account does, it is deleted. The certificates of
 * `released` names are out of use, and come into use again if nothing else has changed.
 */
export async function reconcile(parts: NameParts, released: ReadonlySet<string> = new Set()): Promise<void> {
  const wanted = new Map<string, WantedCertificate>()
  for (const one of parts.wanted()) if (!wanted.has(one.hostname)) wanted.set(one.hostname, one)
  const rows = new Map(parts.store.names().map((row) => [row.hostname, row]))
  const removed = [...rows.values()].filter(({ hostname, removedAt }) => removedAt === null && !wanted.has(hostname))
  const isOutOfUse = ({ hostname }: WantedCertificate) =>
    released.has(hostname) || rows.get(hostname)?.removedAt != null
  const changed = [...wanted.values()].filter((one) => isOutOfUse(one) || isChanged(rows.get(one.hostname), one))
  // Removal comes first: it stops the use of a certificate at once.
  await inSteps(removed, (some) => remove(parts, some))
  await inSteps(changed, (some) => change(parts, some, rows, isOutOfUse))
}

function isChanged(row: NameRow | undefined, { accountId, kind }: WantedCertificate): boolean {
  return !row || row.accountId !== accountId || row.kind !== kind
}

async function inSteps<T>(items: readonly T[], work: (some: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += step) await work(items.slice(at, at + step))
}

async function remove(parts: NameParts, rows: readonly NameRow[]) {
  const { served, store, writer, files, clock } = parts
  served.remove(rows.map(({ hostname }) => hostname))
  const orders = await writer.write(() => {
    for (const { hostname } of rows) store.change(hostname, { removedAt: clock.now() })
    return cancelOrders(parts, rows)
  })
  for (const { file } of orders) if (file !== null) await files.remove(file)
}

/**
 * In the transaction that removes the names: an attempt that ended earlier would be followed by another one, and the
 * order of one that ended later would be stored.
 */
function cancelOrders({ store, abort }: NameParts, names: readonly { readonly hostname: string }[]): OrderRow[] {
  return names.flatMap(({ hostname }) => {
    abort(hostname)
    const order = store.openOrder(hostname)
    if (!order) return []
    store.changeOrder(order.id, { state: 'cancelled' })
    return order
  })
}

async function change(
  parts: NameParts,
  names: readonly WantedCertificate[],
  rows: ReadonlyMap<string, NameRow>,
  isOutOfUse: (name: WantedCertificate) => boolean,
): Promise<void> {
  const { store, writer, files, served, clock } = parts
  const isOthers = ({ hostname, accountId }: WantedCertificate) => {
    const row = rows.get(hostname)
    return row !== undefined && row.accountId !== accountId
  }
  const taken = names.filter(isOthers)
  served.remove(taken.map(({ hostname }) => hostname))
  const old = await writer.write(() => {
    const files = [
      ...taken.map(({ hostname }) => store.find(hostname)?.file),
      ...cancelOrders(parts, taken).map(({ file }) => file),
    ]
    const wantedAt = clock.now()
    for (const one of names) {
      const { hostname, accountId, kind } = one
      const row = rows.get(hostname)
      if (!row) store.add({ hostname, accountId, kind, wantedAt })
      else if (isOthers(one)) {
        store.change(hostname, { accountId, kind, wantedAt, removedAt: null, ...noFailure, ...noFile, ...noRenewal })
      } else if (row.removedAt === null) store.change(hostname, { kind })
      else store.change(hostname, { kind, wantedAt, removedAt: null, ...noFailure })
    }
    return files
  })
  for (const file of old) if (file != null) await files.remove(file)
  const restored = names.filter((one) => !isOthers(one) && isOutOfUse(one))
  const present = restored.flatMap(({ hostname }) => store.find(hostname) ?? [])
  await serve(
    parts,
    present.filter(({ file }) => file !== null),
  )
}

/** Reads certificates from disk and puts them in use. One whose files are gone is ordered again. */
export async function serve(
  { files, served, store, writer }: Pick<NameParts, 'files' | 'served' | 'store' | 'writer'>,
  rows: readonly CertificateRow[],
  onError: (row: CertificateRow, error: unknown) => void = () => {},
): Promise<void> {
  await inSteps(rows, async (some) => {
    const read = await Promise.all(
      some.map((row) =>
        readUsable(row, files).catch((error: unknown) => {
          onError(row, error)
          return undefined
        }),
      ),
    )
    served.set(read.filter((one): one is UsableCertificate => one !== undefined && one !== 'missing'))
    const missing = some.filter((_, at) => read[at] === 'missing')
    if (missing.length === 0) return
    await writer.write(() => {
      for (const { hostname } of missing) store.change(hostname, { ...noFile, ...noRenewal })
    })
  })
}
