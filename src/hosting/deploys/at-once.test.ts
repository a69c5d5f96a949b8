import { expect, spyOn, test } from 'bun:test'
import { rowsPerStep } from './publish.ts'
import { deploysPerTest, zipOf } from './testing/per-test.ts'

const shop = deploysPerTest()
const { deploy, createProject, list, kept, runJob } = shop

test('deploys of one account at once are all made, and the last one that arrived is live', async () => {
  await createProject()
  await createProject('Claws')
  const made = await Promise.all(
    [1, 2, 3, 4].map((n) => deploy({ 'index.html': `version ${n}` }, { project: n === 4 ? 2 : 1 })),
  )
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  const deploys = await list()
  expect(deploys.filter(({ isLive }: { isLive: boolean }) => isLive)).toHaveLength(1)
  expect(deploys[0].isLive).toBe(true)
  expect(kept().rows).toEqual([4, 4, 4])
})

const archive = zipOf({ 'index.html': 'x' })

/**
 * Begins four uploads to project 1, each with its idempotency key; `finish` sends the archive and returns the statuses.
 */
async function beginUploads(key: string, idempotencyKeys: readonly (string | null)[] = [null, null, null, null]) {
  const controllers: ReadableStreamDefaultController<Uint8Array>[] = []
  const responses = idempotencyKeys.map((idempotencyKey) => {
    const rawBody = new ReadableStream<Uint8Array>({ start: (controller) => void controllers.push(controller) })
    const headers = {
      'Content-Type': 'application/zip',
      ...(idempotencyKey !== null && { 'Idempotency-Key': idempotencyKey }),
    }
    return shop.store.call('POST', '/v1/projects/1/deploys', { key, headers, rawBody })
  })
  await Bun.sleep(0)
  return {
    async finish() {
      for (const controller of controllers) {
        controller.enqueue(archive)
        controller.close()
      }
      return (await Promise.all(responses)).map(({ status }) => status)
    },
  }
}

test('an account has at most four running deploys, and another account is not affected', async () => {
  const own = await shop.store.newKey()
  await createProject('Paws', own.key)
  await createProject('Claws')
  const uploads = await beginUploads(own.key, [null, 'twin', null, null])
  const fifth = await deploy({ 'index.html': 'x' }, { key: own.key })
  expect(fifth.json).toMatchObject({ code: 'too_busy', status: 503 })
  expect(fifth.headers.get('retry-after')).toBe('10')
  for (const [idempotencyKey, code] of [
    ['twin', 'idempotency_in_progress'],
    ['other', 'too_busy'],
  ] as const) {
    const sent = { key: own.key, headers: { 'Idempotency-Key': idempotencyKey } }
    expect((await shop.send(1, archive, sent)).json).toMatchObject({ code })
  }
  expect((await deploy({ 'index.html': 'x' }, { project: 2 })).status).toBe(201)
  expect(await uploads.finish()).toEqual([201, 201, 201, 201])
  expect((await deploy({ 'index.html': 'x' }, { key: own.key })).status).toBe(201)
})

test('uploads to a project of another account count as those of the caller, as if there was no such project', async () => {
  const owner = await shop.store.newKey()
  await createProject('Paws', owner.key)
  const stranger = await shop.store.newKey({ plan: 'free' })
  const uploads = await beginUploads(stranger.key)
  expect((await deploy({ 'index.html': 'x' }, { key: owner.key })).status).toBe(201)
  const [foreign, missing] = [await shop.send(1, archive, stranger), await shop.send(9, archive, stranger)]
  expect(foreign.json).toMatchObject({ code: 'too_busy', message: expect.stringContaining('deploys of account 3 are') })
  expect(missing.json).toEqual(foreign.json)
  expect(await uploads.finish()).toEqual([404, 404, 404, 404])
})

test('a deleted project takes its deploys along, and an upload for it leaves nothing', async () => {
  await createProject()
  await deploy({ 'index.html': 'one' })
  const uploads = await beginUploads(shop.store.key)
  expect((await shop.store.call('DELETE', '/v1/projects/1')).status).toBe(204)
  expect((await shop.store.call('GET', '/v1/projects/1/deploys')).status).toBe(404)
  expect(await uploads.finish()).toEqual([404, 404, 404, 404])
  await runJob('delete removed deploys')
  expect(kept()).toMatchObject({ rows: [0, 0, 0], bytes: 0 })
})

/** Deploys more files than one step records, and calls `interrupt` while the first of them are recorded. */
async function deployInterruptedBy<T>(interrupt: () => Promise<T>) {
  const files = Object.fromEntries(Array.from({ length: 2 * rowsPerStep + 1 }, (_, n) => [`${n}.txt`, `file ${n}`]))
  const { deployFiles } = shop.store.app
  let interrupted: Promise<T> | undefined
  const add = deployFiles.add
  const adding = spyOn(deployFiles, 'add').mockImplementation((...parameters) => {
    interrupted ??= interrupt()
    return add(...parameters)
  })
  try {
    const { status, json } = await deploy(files)
    return { status, json, result: await interrupted }
  } finally {
    adding.mockRestore()
  }
}

test('a deploy that is running when its project is deleted leaves nothing', async () => {
  await createProject()
  const { status, result } = await deployInterruptedBy(() => shop.store.call('DELETE', '/v1/projects/1'))
  expect([result?.status, status]).toEqual([204, 404])
  await runJob('delete removed deploys')
  expect(kept()).toMatchObject({ rows: [0, 0, 0], bytes: 0 })
})

test('a deploy that is running when the service stops leaves nothing but the live one', async () => {
  await createProject()
  await deploy({ 'index.html': 'one' })
  const before = kept()
  const { json } = await deployInterruptedBy(() => shop.restart())
  expect(json).toMatchObject({ code: 'storage_unavailable', status: 503 })
  expect(kept()).toMatchObject({ rows: before.rows, bytes: before.bytes })
})
