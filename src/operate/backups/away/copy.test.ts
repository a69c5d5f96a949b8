import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defaultKeep } from '../../../config/backups.ts'
import { createIssuer } from '../../../hosting/certificates/testing/issuer.ts'
import { AppError } from '../../../lib/error.ts'
import { contentsBeside } from '../contents.ts'
import { restoreBackup } from '../restore.ts'
import { verifyBackup } from '../verify.ts'
import { type CopyTask, copyBackups } from './copy.ts'
import { createAgeKeys } from './encryption.ts'
import { fetchBackup } from './fetch.ts'
import { startS3Server, type TestS3Server } from './testing/s3-server.ts'
import { createStoreWithSite, dayMs, noon, type StoreWithSite, sha256 } from './testing/store-with-site.ts'

const [html, script] = ['<h1>Kiosk</h1>', 'alert(1)']
let store: StoreWithSite
let server: TestS3Server
beforeEach(async () => {
  server = await startS3Server()
  store = createStoreWithSite([html, script])
})
afterEach(async () => {
  await server.stop()
  store.folder.remove()
})

const copy = (changes: Partial<CopyTask> = {}) =>
  copyBackups(
    { ...store.place, bucket: server.bucket, recipients: [], keep: defaultKeep, nowMs: noon, ...changes },
    () => {},
  )
const directory = () => join(store.folder.path, 'new')
const fetch = (changes: Partial<Parameters<typeof fetchBackup>[0]> = {}) =>
  fetchBackup(
    {
      bucket: server.bucket,
      environment: 'production',
      object: undefined,
      identities: [],
      nowMs: noon + 30 * dayMs,
      directory: directory(),
      ...changes,
    },
    () => {},
  )
const content = (text: string) => `production-contents/${sha256(text)}`
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error) => (error instanceof AppError ? `${error.code}: ${error.message}` : error),
  )
const puts = () => server.requests.filter((line) => line.startsWith('PUT') || line.startsWith('POST'))

test('a backup of the schedule is copied with its contents and a list, and restored from there alone', async () => {
  const file = store.backUp()
  expect(await copy()).toEqual({ copied: [basename(file)], mayDelete: true })
  const name = basename(file)
  expect(server.objects()).toEqual([content(html), content(script), name, name.replace('.db', '.json')].sort())
  const fetched = await fetch()
  expect(fetched).toEqual({ file: join(directory(), name), address: `s3://shop/pets/${name}` })
  expect(readFileSync(fetched.file)).toEqual(readFileSync(file))
  expect(verifyBackup(fetched.file, 'production').damagedFiles).toBe(0)
  mkdirSync(join(store.folder.path, 'other'))
  const restored = { ...store.place, databasePath: join(store.folder.path, 'other/production.db') }
  expect(restoreBackup(fetched.file, restored, () => noon)).toMatchObject({ damagedFiles: 0, isHeld: true })
})

test('contents are sent once, and a copied backup is not sent again', async () => {
  store.backUp()
  await copy()
  const before = puts().length
  expect((await copy()).copied).toEqual([])
  expect(puts()).toHaveLength(before)
  store.addContent('new')
  const second = basename(store.backUp(noon + dayMs))
  expect((await copy({ nowMs: noon + dayMs })).copied).toEqual([second])
  expect(puts().slice(before)).toEqual(
    [content('new'), second, second.replace('.db', '.json')].map((name) => `PUT /shop/pets/${name}`),
  )
})

test('the same backups are kept there, with the contents that they need; whole backups and strangers stay', async () => {
  const names = []
  for (let day = 0; day < 5; day++) {
    if (day === 4) store.addContent('new')
    names.push(basename(store.backUp(noon + day * dayMs)))
    await copy({ nowMs: noon + day * dayMs })
  }
  for (const stranger of ['production-20200101T000000Z.db', 'staging-scheduled-20200101T000000Z.db', 'letter.txt']) {
    server.put(stranger, 'mine')
  }
  server.put(content('abandoned'), 'abandoned')
  const keep = { days: 1, weeks: 0, months: 0 }
  const after = noon + 5 * dayMs
  names.push(basename(store.backUp(after)))
  const database = new Database(store.place.databasePath)
  database.run('UPDATE deploys SET state = ? WHERE id = 1', ['removed'])
  database.close()
  await copy({ keep, nowMs: after })
  const kept = names.slice(-3)
  const objects = server.objects()
  expect(objects.filter((name) => /^production-scheduled-.*db$/.test(name))).toEqual(kept)
  expect(objects.filter((name) => name.endsWith('.json'))).toEqual(kept.map((name) => name.replace('.db', '.json')))
  expect(objects.filter((name) => name.startsWith('production-contents'))).toEqual(
    [html, script, 'new'].map(content).sort(),
  )
  // A list that a newer petstore has written needs contents that are unknown here.
  server.put('production-scheduled-20261201T000000Z.json', '{"version":2}')
  server.put(content('abandoned'), 'abandoned')
  await copy({ keep, nowMs: after })
  expect(server.objects()).toContain(content('abandoned'))
})

test('a copy from the future, when the clock was wrong, is not the newest one, unless there is no other', async () => {
  const keys = await createAgeKeys()
  const ahead = basename(store.backUp(noon + 365 * dayMs))
  await copy()
  expect((await fetch()).file).toEndWith(ahead)
  const name = basename(store.backUp(noon + dayMs))
  await copy({ nowMs: noon + dayMs, recipients: [keys.recipient] })
  expect((await fetch({ identities: [keys.identity] })).file).toEndWith(name)
  store.backUp(noon + 2 * dayMs)
  expect(await failure(copy({ nowMs: noon + 2 * dayMs }))).toContain('are encrypted, and no recipient is set here')
})

test('a prefix with the copies of another store is refused, and its backups in the folder are not copied', async () => {
  const old = basename(store.backUp())
  await copy()
  const database = new Database(store.place.databasePath)
  database.run("UPDATE installation SET cookie_id = 'a new store'")
  database.close()
  const own = basename(store.backUp(noon + dayMs))
  const before = server.objects()
  expect(await failure(copy({ nowMs: noon + dayMs }))).toBe(
    'storage_unavailable: The copies in s3://shop/pets are of another store: use another prefix.',
  )
  expect(server.objects()).toEqual(before)
  for (const object of before) server.remove(object)
  expect((await copy({ nowMs: noon + dayMs })).copied).toEqual([own])
  expect(server.objects()).not.toContain(old)
})

test('keys that may not delete are no failure', async () => {
  for (let day = 0; day < 5; day++) store.backUp(noon + day * dayMs)
  const nowMs = noon + 4 * dayMs
  await copy({ nowMs })
  server.set('refuse deletes')
  expect(await copy({ nowMs, keep: { days: 1, weeks: 0, months: 0 } })).toEqual({ copied: [], mayDelete: false })
  expect(server.objects().filter((name) => name.endsWith('.db'))).toHaveLength(5)
})

test('a bucket that refuses, is full, is gone or drops the connection is reported in words, without a secret', async () => {
  store.backUp()
  const cases = [
    ['refuse', 'refuses it: its policy does not allow that to these keys'],
    ['full', 'is full'],
    ['drop', 'cannot be reached: the connection was closed'],
  ] as const
  for (const [conduct, reason] of cases) {
    server.set(conduct)
    const said = await failure(copy())
    expect(said).toBe(`storage_unavailable: The bucket s3://shop at ${server.bucket.endpoint} ${reason}.`)
  }
  server.set('serve')
  const changed = (bucket: object) => failure(copy({ bucket: { ...server.bucket, ...bucket } }))
  expect(await changed({ bucket: 'other' })).toContain('s3://other at http://127.0.0.1:')
  expect(await changed({ bucket: 'other' })).toContain('does not exist')
  expect(await changed({ secretAccessKey: 'a wrong secret' })).toContain('refuses the secret access key')
  expect(await changed({ accessKeyId: 'nobody' })).toContain('does not know the access key id')
  expect(await changed({ endpoint: 'http://127.0.0.1:1' })).toContain('cannot be reached: nothing listens there')
  const secure = server.bucket.endpoint?.replace('http:', 'https:')
  expect(await changed({ endpoint: secure })).toContain('cannot be reached over TLS: correct the endpoint')
  const { cert, key } = await (await createIssuer('Bucket test CA')).server(['localhost'])
  using other = Bun.serve({ port: 0, tls: { cert, key }, fetch: () => new Response('a page') })
  expect(await changed({ endpoint: `https://localhost:${other.port}` })).toContain('certificate that is not trusted')
  using moved = Bun.serve({ port: 0, fetch: () => Response.redirect('https://s3.invalid/shop/', 301) })
  expect(await changed({ endpoint: `http://127.0.0.1:${moved.port}` })).toContain(
    'redirects to https://s3.invalid: enter that.',
  )
  using page = Bun.serve({ port: 0, fetch: () => new Response('no such page', { status: 400 }) })
  expect(await changed({ endpoint: `http://127.0.0.1:${page.port}` })).toContain('does not respond as S3 does')
  expect(server.objects()).toEqual([])
})

test('what another process has begun to send is sent again before a backup that needs it counts', async () => {
  const name = basename(store.backUp())
  server.put(content(html), 'half of')
  server.put(name, 'half of')
  expect(await failure(fetch())).toContain('There is no complete backup of production in s3://shop/pets')
  await copy()
  expect(server.read(content(html)).toString()).toBe(html)
  expect((await fetch()).file).toEndWith(name)
})

test('a content that was swept here with its backup ends the copy without a failure; one that is damaged is one', async () => {
  const large = 'x'.repeat(300_000)
  store.addContent(large)
  const file = store.backUp()
  server.onRequest((line) => {
    if (line !== `PUT /shop/pets/${content(html)}`) return
    rmSync(file)
    rmSync(contentsBeside(file).pathOf(sha256(large)))
  })
  expect(await copy()).toEqual({ copied: [], mayDelete: true })
  server.onRequest(() => {})
  server.remove(content(html))
  const second = store.backUp(noon + dayMs)
  writeFileSync(contentsBeside(second).pathOf(sha256(script)), 'other(1)')
  expect(await failure(copy({ nowMs: noon + dayMs }))).toContain('A content of a backup is damaged')
  // What was sent beside it has arrived: nothing is on its way after the failure.
  expect(server.objects()).toContain(content(html))
})

test('a bucket of thousands of objects is read in pages', async () => {
  const name = basename(store.backUp())
  await copy()
  for (let i = 0; i < 2_500; i++) server.put(`production-other/${i}`, 'x')
  server.requests.length = 0
  expect((await copy()).mayDelete).toBe(true)
  expect(server.requests.filter((line) => line === 'GET /shop/').length).toBeGreaterThanOrEqual(3)
  expect((await fetch()).file).toEndWith(name)
})

describe('encrypted', () => {
  test('copies are read with the identity, and by the program age', async () => {
    const keys = await createAgeKeys()
    const file = store.backUp()
    await copy({ recipients: [keys.recipient] })
    expect(
      server
        .objects()
        .filter((name) => !name.endsWith('.json'))
        .every((name) => name.endsWith('.age')),
    ).toBe(true)
    for (const object of server.objects()) expect(server.read(object).includes('Kiosk')).toBe(false)
    const fetched = await fetch({ identities: [keys.identity] })
    expect(readFileSync(fetched.file)).toEqual(readFileSync(file))
    expect(verifyBackup(fetched.file, 'production').damagedFiles).toBe(0)

    const age = Bun.which('age')
    if (age === null) return console.error('SKIPPED: the test that age reads a copy needs age.')
    const identity = join(store.folder.path, 'identity.txt')
    writeFileSync(identity, `# of the shop\n${keys.identity}\n`)
    const read = Bun.spawnSync([age, '-d', '-i', identity, server.pathOf(`${basename(file)}.age`)])
    expect(read.stderr.toString()).toBe('')
    expect(Buffer.from(read.stdout)).toEqual(readFileSync(file))
  })

  test('without the identity, with another one, and after a change nothing is fetched', async () => {
    const [keys, other] = [await createAgeKeys(), await createAgeKeys()]
    const name = basename(store.backUp())
    await copy({ recipients: [keys.recipient] })
    expect(await failure(fetch())).toContain('is encrypted: name the file of the identity with --identity FILE')
    expect(await failure(fetch({ identities: [other.identity] }))).toContain('it is encrypted for another identity')
    const path = server.pathOf(`${name}.age`)
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(path, bytes)
    expect(await failure(fetch({ identities: [keys.identity] }))).toContain('it is damaged')
  })

  test('a new recipient gets separate contents, and a copy for no recipient after one is refused', async () => {
    const [first, second] = [await createAgeKeys(), await createAgeKeys()]
    store.backUp()
    await copy({ recipients: [first.recipient] })
    const name = basename(store.backUp(noon + dayMs))
    await copy({ recipients: [second.recipient], nowMs: noon + dayMs })
    expect(server.objects().filter((object) => object.includes('contents'))).toHaveLength(4)
    expect((await fetch({ identities: [second.identity] })).file).toEndWith(name)
    store.backUp(noon + 2 * dayMs)
    expect(await failure(copy({ nowMs: noon + 2 * dayMs }))).toContain('are encrypted, and no recipient is set here')
  })
})

describe('a copy is not fetched', () => {
  const cases: readonly (readonly [string, (path: string) => void, string])[] = [
    ['that is truncated', (path) => truncateSync(path, 5_000), 'There is no complete backup'],
    ['that is longer', (path) => appendFileSync(path, 'x'), 'There is no complete backup'],
    [
      'that was changed',
      (path) => writeFileSync(path, readFileSync(path).fill(1, 5_000, 5_001)),
      'does not match its checksum',
    ],
  ]
  test.each(cases)('%s', async (_, change, reason) => {
    const name = basename(store.backUp())
    await copy()
    change(server.pathOf(name))
    expect(await failure(fetch({ object: name }))).toContain(reason)
  })

  test('whose content was changed, or is missing', async () => {
    store.backUp()
    await copy()
    server.put(content(html), '<h1>Evil!</h1>')
    expect(await failure(fetch())).toContain(`${content(html)} can't be used: it is damaged`)
    server.remove(content(html))
    expect(await failure(fetch())).toContain(`not_found: There is no s3://shop/pets/${content(html)}`)
    server.put(content(html), html)
    expect(verifyBackup((await fetch()).file, 'production').damagedFiles).toBe(0)
  })

  test('of the other environment', async () => {
    const name = basename(store.backUp())
    await copy()
    expect(await failure(fetch({ environment: 'staging', object: name }))).toContain(
      `There is no complete backup ${name} of staging in s3://shop/pets`,
    )
  })
})
