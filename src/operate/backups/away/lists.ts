/** What backups are in a bucket: the objects of an environment, and the lists of those backups that are complete. */

import type { Environment } from '../../../lib/environment.ts'
import { type BackupName, hasCome, newestFirst } from '../rules.ts'
import type { OpenBucket } from './bucket.ts'
import { backupOfObject, type CopyList, contentName, parseList, startOf } from './names.ts'

/** A complete backup in a bucket. */
export interface Copy {
  readonly name: BackupName
  readonly list: Omit<CopyList, 'contents'>
  /** The names of the objects of its contents. */
  readonly contents: readonly string[]
}

export interface BucketContent {
  /** Sizes by name. */
  readonly objects: ReadonlyMap<string, number>
  /** The newest first. */
  readonly copies: readonly Copy[]
  /** Whether a list cannot be read, so that the contents that it needs are unknown. */
  readonly hasUnknown: boolean
}

/** Longer lists are not read. */
const longestListBytes = 64 * 1024 * 1024

export async function readLists(bucket: OpenBucket, environment: Environment): Promise<BucketContent> {
  const objects = await bucket.list(startOf(environment))
  const copies: Copy[] = []
  let hasUnknown = false
  // Most lists have the same contents: each name is in memory once.
  const names = new Map<string, string>()
  const once = (name: string) => {
    const known = names.get(name)
    if (known === undefined) names.set(name, name)
    return known ?? name
  }
  for (const [object, bytes] of objects) {
    const name = object.endsWith('.json') ? backupOfObject(object) : undefined
    if (name === undefined) continue
    const list = bytes > longestListBytes ? undefined : parseList(await textOf(bucket.read(object)))
    if (list === undefined) hasUnknown = true
    else if (objects.get(list.file) === list.bytes) copies.push(copyOf(name, list, once))
  }
  return { objects, copies: copies.toSorted((a, b) => newestFirst(a.name, b.name)), hasUnknown }
}

function copyOf(name: BackupName, { contents, ...list }: CopyList, once: (name: string) => string): Copy {
  return { name, list, contents: contents.map(([hash]) => once(contentName(list, hash))) }
}

/** The newest copy; one with a time after `nowMs` only if there is no other. */
export function newestCopy({ copies }: BucketContent, nowMs: number): Copy | undefined {
  return copies.find(({ name }) => hasCome(name.createdAt, nowMs)) ?? copies[0]
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
