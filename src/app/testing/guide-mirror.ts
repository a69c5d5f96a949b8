/** The mirror of docs/guide/events.md, as its readers paste it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

interface Animal {
  readonly id: number
}

export interface Mirror {
  readonly animals: ReadonlyMap<number, Animal>
  readonly position: number | undefined
  follow(signal: AbortSignal): Promise<void>
}

/** The class that the guide has. */
export async function loadMirror(): Promise<new (url: string, key: string) => Mirror> {
  const page = await Bun.file(resolve(import.meta.dir, '../../../docs/guide/events.md')).text()
  const code = /^```js\n(.*?export class Mirror.*?)^```/ms.exec(page)?.[1]
  if (code === undefined) throw new Error('The guide has no mirror.')
  const folder = mkdtempSync(join(tmpdir(), 'petstore-mirror-'))
  try {
    await Bun.write(join(folder, 'mirror.mjs'), code)
    const { Mirror } = await import(join(folder, 'mirror.mjs'))
    return Mirror
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The animals of a mirror, by id. */
export function animalsOf({ animals }: Mirror): readonly Animal[] {
  return [...animals.values()].sort((a, b) => a.id - b.id)
}
