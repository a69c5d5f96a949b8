import { describe, expect, test } from 'bun:test'
import { deploysPerTest } from './testing/per-test.ts'

const shop = deploysPerTest()
const { deploy, createProject, list, kept, runJob } = shop

test('the live deploy and the ten that were live before it are kept, with their files', async () => {
  await createProject()
  for (let n = 1; n <= 11; n++) await deploy({ 'index.html': `version ${n}`, 'same.txt': 'same' })
  await shop.store.call('POST', '/v1/projects/1/deploys/1/promote')
  expect((await list()).map(({ id }: { id: number }) => id)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  for (let n = 12; n <= 14; n++) await deploy({ 'index.html': `version ${n}`, 'same.txt': 'same' })
  expect((await list()).map(({ id }: { id: number }) => id)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 1])
  expect((await shop.store.call('POST', '/v1/projects/1/deploys/2/promote')).status).toBe(404)
  await runJob('delete removed deploys')
  expect(kept().rows).toEqual([11, 22, 12])
  await runJob('delete files that no deploy has')
  expect(kept().files).toHaveLength(12)
})

test('a deploy that a killed process has prepared is not shown, and is deleted after an hour', async () => {
  await createProject()
  await deploy({ 'index.html': 'one' })
  const { app, clock } = shop.store
  const before = kept()
  const id = await app.writer.write(() =>
    app.deploys.begin({
      projectId: 1,
      accountId: 1,
      createdAt: clock.now(),
      createdBy: 'command',
      fileCount: 2,
      bytes: 10,
    }),
  )
  const file = { path: 'a.txt', hash: 'a'.repeat(64), size: 5, contentType: '', modifiedMs: 0 }
  await app.writer.write(() => app.deployFiles.add({ id, accountId: 1 }, [file, { ...file, path: 'b.txt' }]))
  expect((await list()).map((one: { id: number }) => one.id)).toEqual([1])
  expect((await shop.store.call('POST', `/v1/projects/1/deploys/${id}/promote`)).status).toBe(404)
  clock.skip(3_599_000)
  await runJob('delete removed deploys')
  expect(kept().rows).toEqual([2, 3, 2])
  clock.skip(2_000)
  await runJob('delete removed deploys')
  expect(kept()).toEqual(before)
})

test('after an idle hour, a new deploy is compressed and a removed one deleted within a second', async () => {
  const { app, clock } = shop.store
  /** Lets a second pass, and the jobs end that began in it. */
  const within = async (isDone: () => boolean) => {
    clock.advance(1_000)
    while (!isDone()) await Bun.sleep(1)
  }
  const isCompressed = (id: number) => app.deploys.find(id)?.compressedAt !== null
  await createProject()
  await deploy({ 'index.html': 'one' })
  await within(() => isCompressed(1))
  clock.advance(2_000)
  clock.advance(3_600_000)
  await deploy({ 'index.html': 'two' })
  await within(() => isCompressed(2))
  clock.advance(2_000)
  clock.advance(3_600_000)
  await app.writer.write(() => app.deploys.remove([1]))
  await within(() => kept().rows[0] === 1)
})

describe('the space of an account', () => {
  const megabyte = 1_048_576
  /** Makes a deploy larger without storing anything. Equal letters stand for equal contents. */
  const enlarge = (id: number, letter: string, megabytes: number) =>
    shop.store.app.writer.write(() =>
      shop.store.app.deployFiles.add({ id, accountId: 1 }, [
        { path: `${letter}.bin`, hash: letter.repeat(64), size: megabytes * megabyte, contentType: '', modifiedMs: 0 },
      ]),
    )
  const ids = async () => (await list()).map(({ id }: { id: number }) => id)

  test('beyond 1 GiB the oldest deploys that nobody promoted make room, as few as are needed', async () => {
    await createProject()
    for (let n = 1; n <= 5; n++) await deploy({ 'index.html': `version ${n}` })
    await shop.store.call('POST', '/v1/projects/1/deploys/1/promote')
    await shop.store.call('POST', '/v1/projects/1/deploys/5/promote')
    await enlarge(1, 'a', 300)
    await enlarge(2, 'b', 300)
    // Its content is also that of a deploy that stays, so removing it gives no room.
    await enlarge(3, 'a', 300)
    await enlarge(4, 'd', 300)
    await enlarge(5, 'e', 300)
    const headers = { 'If-None-Match': '"x"' }
    const made = await deploy({ 'index.html': 'version 6' }, { headers })
    expect([made.status, await ids()]).toEqual([201, [6, 5, 4, 3, 1]])
    await runJob('delete removed deploys')
    expect(shop.store.app.deployFiles.bytesOf(1)).toBeLessThan(1024 * megabyte)
    await enlarge(6, 'f', 300)
    expect([(await deploy({ 'index.html': 'version 7' })).status, await ids()]).toEqual([201, [7, 6, 5, 1]])
  })

  test('room is made in the same way while a removed deploy with the same contents is being deleted', async () => {
    await createProject()
    for (let n = 1; n <= 3; n++) await deploy({ 'index.html': `version ${n}` })
    const { app } = shop.store
    const files = Array.from({ length: 3_000 }, (_, n) => ({
      path: `${n}.bin`,
      hash: n.toString(16).padStart(64, 'b'),
      size: 200_000,
      contentType: '',
      modifiedMs: 0,
    }))
    for (const id of [1, 2]) await app.writer.write(() => app.deployFiles.add({ id, accountId: 1 }, files))
    await enlarge(3, 'c', 1_023)
    await app.writer.write(() => app.deploys.remove([1]))
    // The job begins when the files of the new deploy are recorded, so when its room is about to be calculated.
    const { write } = app.writer
    let writes = 0
    let deleting: unknown
    app.writer.write = (work) => {
      const written = write(work)
      if (++writes === 2) deleting = written.then(() => runJob('delete removed deploys'))
      return written
    }
    const made = await deploy({ 'index.html': 'version 4' })
    app.writer.write = write
    await deleting
    expect([made.status, await ids()]).toEqual([201, [4, 3]])
    await runJob('delete removed deploys')
    expect(app.deployFiles.bytesOf(1)).toBeLessThan(1024 * megabyte)
  })

  test('a deploy for which no room can be made is rejected, and nothing is removed', async () => {
    await createProject()
    await createProject('Claws')
    for (let n = 1; n <= 3; n++) await deploy({ 'index.html': `version ${n}` })
    await deploy({ 'index.html': 'claws' }, { project: 2 })
    await shop.store.call('POST', '/v1/projects/1/deploys/1/promote')
    await enlarge(1, 'a', 600)
    await enlarge(2, 'b', 300)
    await enlarge(4, 'd', 500)
    const before = kept()
    const response = await deploy({ 'index.html': 'version 5' })
    expect(response.json).toMatchObject({ code: 'payload_too_large', status: 413 })
    expect(response.json.message).toContain('1073741824 is the most')
    expect([kept().rows, await ids()]).toEqual([before.rows, [3, 2, 1]])
    // Another account has its own space.
    const own = await shop.store.newKey()
    const { id } = await createProject('Tails', own.key)
    expect((await deploy({ 'index.html': 'x' }, { project: id, key: own.key })).status).toBe(201)
    await shop.store.call('DELETE', '/v1/projects/2')
    expect((await deploy({ 'index.html': 'version 5' })).status).toBe(201)
  })
})
