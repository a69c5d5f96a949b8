import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { hasPebble, startPebble } from '../../testing/peers/pebble.ts'
import { freePort } from '../../testing/peers/peer.ts'
import { createCertificateStore } from './store.ts'
import { startOrderChild } from './testing/start-order-child.ts'

const eabKeys = { 'kid-1': 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' }

describe.skipIf(!hasPebble)('with Pebble', () => {
  let folder: ReturnType<typeof emptyFolder>
  let httpPort: number
  beforeAll(async () => {
    folder = emptyFolder()
    httpPort = await freePort('127.0.0.1')
  })
  afterAll(() => folder.remove())

  for (const [title, keys] of [
    ['certificates are issued for several names at once', undefined],
    ['an account is bound to an external account, and certificates are issued', eabKeys],
  ] as const) {
    test(title, async () => {
      const pebble = await startPebble({ httpPort, ...(keys === undefined ? {} : { eabKeys: keys }) })
      const hostnames = Array.from({ length: 6 }, (_, count) => `www${count}.shop${keys ? '-eab' : ''}.example`)
      try {
        const child = startOrderChild(
          process.execPath,
          {
            folder: folder.path,
            directoryUrl: pebble.directoryUrl,
            httpPort,
            hostnames,
            email: 'owner@shop.example',
            ...(keys === undefined ? {} : { eab: { kid: 'kid-1', key: keys['kid-1'] } }),
          },
          { NODE_EXTRA_CA_CERTS: pebble.caFile },
        )
        await child.installed()
        await child.kill()
        const database = openDatabase(`${folder.path}/test.db`, 1_000)
        const store = createCertificateStore(database.tables)
        const rows = hostnames.map((hostname) => store.find(hostname))
        database.close()
        const root = new X509Certificate(await pebble.root())
        for (const row of rows) {
          const chain = readFileSync(join(folder.path, 'certificates', `${row?.file}.pem`), 'utf8')
          const [leaf, intermediate] = chain.split(/(?=-----BEGIN)/).map((pem) => new X509Certificate(pem))
          expect(leaf?.subjectAltName).toBe(`DNS:${row?.hostname}`)
          expect(leaf?.checkIssued(intermediate as X509Certificate)).toBe(true)
          expect(intermediate?.checkIssued(root)).toBe(true)
          expect(row).toMatchObject({ failures: 0, notAfter: Date.parse(leaf?.validTo ?? '') })
        }
      } finally {
        await pebble.stop()
      }
    })
  }
})
