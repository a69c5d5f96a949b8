import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, petstoreCommand as self } from '../testing/executable.ts'
import { openTestDashboard, type TestBrowser, type TestDashboard } from './testing/dashboard.ts'

let dashboard: TestDashboard
let browser: TestBrowser
beforeEach(async () => {
  dashboard = await openTestDashboard()
  browser = await dashboard.setUp()
  await dashboard.call('POST', '/v1/pets', { body: { name: 'Honeysuckle', categoryId: 2 } })
})
afterEach(() => dashboard.close())

const exported = '/dashboard/files/exports/pets'

test('an export is an attachment that no cache keeps, and the audit log names the owner', async () => {
  for (const [query, type, text] of [
    ['', 'text/csv; charset=utf-8', '1,Honeysuckle,2,Cat,available,'],
    ['?format=ndjson', 'application/x-ndjson', '"name":"Honeysuckle"'],
  ] as const) {
    const { status, headers, text: body } = await browser.get(exported + query)
    expect([status, headers.get('content-type')]).toEqual([200, type])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="pets-[0-9-]+\.(csv|ndjson)"$/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(body).toContain(text)
  }
  await dashboard.app.writer.write(() => {})
  const { json } = await dashboard.call('GET', '/v1/audit?limit=1')
  expect(json[0]).toMatchObject({ actor: 'owner', action: 'pets.exported', details: { format: 'ndjson' } })
})

test('an export is recorded if it is sent, without waiting for the lock of another process', async () => {
  const folder = emptyFolder()
  const databasePath = join(folder.path, 'production.db')
  const stored = await openTestDashboard({ databasePath })
  const recorded = async () => {
    await stored.app.writer.write(() => {})
    return (await stored.call('GET', '/v1/audit?action=pets.exported')).json
  }
  try {
    const owner = await stored.setUp()
    expect((await owner.send(exported, { method: 'HEAD' })).status).toBe(200)
    expect(await recorded()).toEqual([])
    const other = new Database(databasePath)
    other.run('BEGIN IMMEDIATE')
    expect((await owner.get(exported)).status).toBe(200)
    other.close()
    stored.clock.advance(1_000)
    expect(await recorded()).toMatchObject([{ actor: 'owner', details: { format: 'csv' } }])
  } finally {
    await stored.close()
    folder.remove()
  }
}, 10_000)

test('a download needs a session and comes only to our own pages', async () => {
  for (const path of [exported, '/dashboard/files/backups/production-20261121T031500Z.db']) {
    expect((await dashboard.browser().get(path)).status).toBe(401)
    expect((await dashboard.browser().get(path, { authorization: `Bearer ${dashboard.key}` })).status).toBe(401)
    for (const site of ['cross-site', 'same-site']) {
      expect((await browser.get(path, { 'sec-fetch-site': site })).status).toBe(403)
    }
  }
})

test('a download leaves no token behind, and its errors are those of the API', async () => {
  const token = await browser.trade()
  for (let i = 0; i < 60; i++) await browser.send(exported, { method: 'HEAD' })
  expect((await dashboard.call('GET', '/v1/pets', { key: token })).status).toBe(200)
  const { status, json } = await browser.get(`${exported}?format=xml`)
  expect([status, json.code]).toEqual([400, 'invalid_parameter'])
})

test('a backup is sent in one file, and recorded once', async () => {
  const folder = emptyFolder()
  const stored = await openTestDashboard({ databasePath: join(folder.path, 'production.db'), self })
  try {
    const owner = await stored.setUp()
    const { json: made } = await stored.call('POST', '/v1/backups', { key: await owner.trade() })
    const path = `/dashboard/files/backups/${made.name}`
    const whole = await owner.open(path)
    expect(whole.status).toBe(200)
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename="${made.name.replace('.db', '.tar')}"`)
    expect(whole.headers.get('cache-control')).toBe('no-store')
    const bytes = Buffer.from(await whole.bytes())
    expect(bytes.includes(readFileSync(join(folder.path, 'backups', made.name)))).toBe(true)
    await stored.app.writer.write(() => {})
    const { json } = await stored.call('GET', '/v1/audit?action=backup')
    expect(json).toMatchObject([
      { actor: 'owner', action: 'backup.downloaded', accountId: 1 },
      { actor: 'owner', action: 'backup.created', accountId: 1 },
    ])
  } finally {
    await stored.close()
    folder.remove()
  }
})

test('a name that is not that of a backup, or leads elsewhere, is not found', async () => {
  for (const name of ['nothing.db', '..%2Fproduction.db', '%2Fetc%2Fpasswd', 'undefined', 'x'.repeat(5_000)]) {
    expect([name, (await browser.get(`/dashboard/files/backups/${name}`)).status]).toEqual([name, 404])
  }
})
