import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createCertificateStore } from './store.ts'
import { certificateOrders } from './table.ts'
import { type FakeCa, startFakeCa } from './testing/fake-ca.ts'
import { startOrderChild } from './testing/start-order-child.ts'

const name = 'www.shop.example'
let folder: ReturnType<typeof emptyFolder>
let ca: FakeCa
let httpPort: number
beforeEach(async () => {
  folder = emptyFolder()
  const free = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  httpPort = free.port ?? 0
  await free.stop(true)
  ca = await startFakeCa({ now: Date.now, httpPort: () => httpPort })
})
afterEach(async () => {
  await ca.stop()
  folder.remove()
})

const start = () =>
  startOrderChild(process.execPath, {
    folder: folder.path,
    directoryUrl: ca.directoryUrl,
    httpPort,
    hostnames: [name],
  })

/** Starts the service again, and expects it to end with one certificate, from one order of one account. */
async function expectCompletion(): Promise<void> {
  const second = start()
  await second.installed()
  await second.kill()
  expect(ca.accounts.size).toBe(1)
  expect(ca.orders.size).toBe(1)
  const database = openDatabase(`${folder.path}/test.db`, 1_000)
  const store = createCertificateStore(database.tables)
  const row = store.find(name)
  const states = database.tables.select({ state: certificateOrders.state }).from(certificateOrders).all()
  const used = store.files()
  database.close()
  expect(states).toEqual([{ state: 'installed' }])
  const read = (kind: string) => readFileSync(join(folder.path, 'certificates', `${row?.file}.${kind}`), 'utf8')
  expect(new X509Certificate(read('pem')).checkPrivateKey(createPrivateKey(read('key')))).toBe(true)
  const names = readdirSync(join(folder.path, 'certificates'))
  expect(names.filter((file) => !used.has(file.split('.')[0] ?? ''))).toEqual([])
}

describe('an order goes on after kill -9, without a second order or account,', () => {
  // `testing/hosting/killed.long.ts` kills the executable at the other requests of an order.
  test('before the authority processes the request for an account', async () => {
    const first = start()
    const reached = Promise.withResolvers<void>()
    ca.inject('newAccount', async () => {
      reached.resolve()
      await first.exited
      return new Response('too late', { status: 500 })
    })
    await reached.promise
    await first.kill()
    await expectCompletion()
  })

  test('after the authority has processed the request for an account, before it replies', async () => {
    const first = start()
    const reached = Promise.withResolvers<void>()
    ca.settings.beforeResponse = async (processed) => {
      if (processed !== 'newAccount') return
      reached.resolve()
      await first.exited
    }
    await reached.promise
    await first.kill()
    ca.settings.beforeResponse = undefined
    await expectCompletion()
  })

  for (const [count, file] of [
    [1, 'the key of the account'],
    [2, 'the key of the certificate'],
    [3, 'the certificate'],
  ] as const) {
    test(`when ${file} has been written`, async () => {
      const directory = join(folder.path, 'certificates')
      mkdirSync(directory, { mode: 0o700 })
      const reached = Promise.withResolvers<void>()
      const watcher = watch(directory, () => {
        const complete = readdirSync(directory).filter((one) => /\.(key|pem)$/.test(one))
        if (complete.length >= count) reached.resolve()
      })
      const first = start()
      await reached.promise
      await first.kill()
      watcher.close()
      await expectCompletion()
    })
  }

  test('while the authority issues the certificate', async () => {
    ca.settings.processingLooks = 3
    const first = start()
    const reached = Promise.withResolvers<void>()
    ca.settings.beforeResponse = async (step) => {
      if (step === 'order' && ca.count('finalize') > 0) reached.resolve()
    }
    await reached.promise
    await first.kill()
    await expectCompletion()
  })
})

test('an order that cannot be found at the authority after a kill is replaced by a new one', async () => {
  ca.settings.listsOrders = false
  const first = start()
  const reached = Promise.withResolvers<void>()
  ca.settings.beforeResponse = async (step) => {
    if (step !== 'newOrder') return
    reached.resolve()
    await first.exited
  }
  await reached.promise
  await first.kill()
  ca.settings.beforeResponse = undefined
  const second = start()
  await second.installed()
  await second.kill()
  expect(ca.accounts.size).toBe(1)
  expect(ca.orders.size).toBe(2)
})
