import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytes, filesBelow, hashOf, openStore, put } from './testing/content-store.ts'

describe('a sweep', () => {
  test('deletes what is not referenced, and returns how much', async () => {
    using one = openStore()
    await put(one.store, 'kept', 'gone', 'gone too')
    const isReferenced = (hash: string) => hash === hashOf('kept')
    expect(await one.store.sweep(isReferenced)).toEqual({ files: 2, bytes: 12 })
    expect(filesBelow(one.path)).toHaveLength(1)
    expect(readFileSync(one.store.pathOf(hashOf('kept')), 'utf8')).toBe('kept')
  })

  test('keeps what an open batch uses, new or there before, until it is closed', async () => {
    using one = openStore()
    await put(one.store, 'old')
    const batch = one.store.begin()
    await batch.add(bytes('old'))
    await batch.add(bytes('new'))
    await batch.commit()
    expect(await one.store.sweep(() => false)).toEqual({ files: 0, bytes: 0 })
    await batch.close()
    expect((await one.store.sweep(() => false)).files).toBe(2)
  })

  test('beside batches that use the same contents never loses one that is referenced', async () => {
    using one = openStore()
    const referenced = new Set<string>()
    const texts = Array.from({ length: 20 }, (_, at) => `content ${at}`)
    let running = true
    const sweeping = (async () => {
      while (running) {
        await one.store.sweep((hash) => referenced.has(hash))
      }
    })()
    for (let round = 0; round < 5; round++) {
      const batch = one.store.begin()
      const hashes: string[] = []
      for (const text of texts) hashes.push((await batch.add(bytes(text))).hash)
      await batch.commit()
      for (const hash of hashes) referenced.add(hash)
      await batch.close()
      expect(hashes.filter((hash) => !existsSync(one.store.pathOf(hash)))).toEqual([])
      await Promise.resolve()
      referenced.clear()
      await Bun.sleep(0)
    }
    running = false
    await sweeping
  })

  test('leaves files alone that are not the store’s, deletes what a killed restore was writing, and stops when its signal is aborted', async () => {
    using one = openStore()
    await put(one.store, 'a', 'b', 'c')
    const [first = ''] = filesBelow(one.path)
    writeFileSync(join(one.path, `${first}.unfinished`), 'half')
    writeFileSync(join(one.path, first.slice(0, 2), 'README'), 'mine')
    mkdirSync(join(one.path, 'other'))
    writeFileSync(join(one.path, 'other', 'file'), 'mine')
    expect(await one.store.sweep(() => false, AbortSignal.abort())).toEqual({ files: 0, bytes: 0 })
    expect((await one.store.sweep(() => false)).files).toBe(3)
    expect(filesBelow(one.path).map((path) => path.split('/').at(-1))).toEqual(['README', 'file'])
  })

  test('of a store that was never written to finds nothing', async () => {
    using one = openStore()
    await one.store.removeAbandoned()
    expect(await one.store.sweep(() => false)).toEqual({ files: 0, bytes: 0 })
    expect(existsSync(one.path)).toBe(false)
  })
})

test('the files that a killed process left are deleted at the next start; open batches stay', async () => {
  using one = openStore()
  const script = `
    import { createContentStore } from ${JSON.stringify(join(import.meta.dir, 'store.ts'))}
    const batch = createContentStore(${JSON.stringify(one.path)}).begin()
    await batch.add([Buffer.from('lost')])
    await batch.add([Buffer.alloc(3_000_000)])
    console.log('ready')
    process.kill(process.pid, 'SIGKILL')
  `
  const killed = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  expect(await new Response(killed.stdout).text()).toBe('ready\n')
  await killed.exited
  expect(filesBelow(one.path)).toHaveLength(2)
  const batch = one.store.begin()
  const { hash } = await batch.add(bytes('mine'))
  await one.store.removeAbandoned()
  await batch.commit()
  await batch.close()
  expect(filesBelow(one.path)).toEqual([`${hash.slice(0, 2)}/${hash.slice(2)}`])
})
