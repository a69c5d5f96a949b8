import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Certificate } from '../../api/host.ts'
import { createLog } from '../../lib/log.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createPlatformCertificate, type Wildcard } from './platform-certificate.ts'
import { createIssuer } from './testing/issuer.ts'

const issuer = await createIssuer()
const [first, second, other] = await Promise.all([
  issuer.server(['*.stores.example']),
  issuer.server(['*.stores.example', 'stores.example']),
  issuer.server(['*.other.example']),
])

let folder: ReturnType<typeof emptyFolder>
let logged: string[]
let used: Wildcard[]
beforeEach(() => {
  folder = emptyFolder()
  logged = []
  used = []
})
afterEach(() => folder.remove())

function write({ cert, key }: Partial<Certificate>): void {
  if (cert !== undefined) writeFileSync(join(folder.path, 'cert.pem'), cert)
  if (key !== undefined) writeFileSync(join(folder.path, 'key.pem'), key)
}

function create() {
  const certificate = createPlatformCertificate({
    platformCert: join(folder.path, 'cert.pem'),
    platformKey: join(folder.path, 'key.pem'),
    log: createLog({ level: 'info', json: false, now: () => 0, write: (line) => logged.push(line) }),
    use: (wildcard) => used.push(wildcard),
  })
  return { open: certificate.open, check: async () => certificate.job.run(new AbortController().signal) }
}

describe('the certificate of the platform', () => {
  test('is for one label below its wildcard', async () => {
    write(first)
    await create().open()
    const names = ['ada.stores.example', 'api.stores.example', 'a.b.stores.example', 'stores.example', 'other.example']
    expect(names.map((name) => used[0]?.covers(name))).toEqual([true, true, false, false, false])
  })

  test('is read from files with byte order marks, as editors of Windows write them', async () => {
    write({ cert: `\ufeff${first.cert}\ufeff${issuer.root}`, key: `\ufeff${first.key}` })
    await create().open()
    expect(used).toMatchObject([{ cert: first.cert + issuer.root, key: first.key }])
  })

  test('is read again once both of its files have changed and rest', async () => {
    write(first)
    const { open, check } = create()
    await open()
    await check()
    expect(used).toHaveLength(1)
    write({ cert: second.cert })
    await check()
    write({ key: second.key })
    await check()
    expect(used).toHaveLength(1)
    await check()
    expect(used.at(-1)).toMatchObject(second)
    await check()
    expect([used.length, logged.length]).toEqual([2, 1])
  })

  test('stays in use if it is replaced by one that cannot be used, which is logged once', async () => {
    write(first)
    const { open, check } = create()
    await open()
    for (const [change, reason] of [
      [() => write({ key: other.key }), 'the key does not belong to the certificate'],
      [() => write({ cert: 'nothing' }), 'not a certificate in PEM'],
      [() => rmSync(join(folder.path, 'key.pem')), 'there is no such file'],
    ] as const) {
      logged.length = 0
      change()
      for (let i = 0; i < 4; i++) await check()
      expect([logged.length, logged[0]]).toEqual([1, expect.stringContaining(reason)])
    }
    write(second)
    await check()
    await check()
    expect(used.map(({ cert }) => cert)).toEqual([first.cert, second.cert])
  })

  test('stops the start if it cannot be used, with the reason', async () => {
    await expect(create().open()).rejects.toThrow(
      /--platform-cert and --platform-key can't be used: .*(cert|key)\.pem: there is no such file/,
    )
    write({ cert: first.cert, key: other.key })
    await expect(create().open()).rejects.toThrow("can't be used: the key does not belong to the certificate.")
    write({ key: first.cert })
    await expect(create().open()).rejects.toThrow('the key is not a private key in PEM')
  })
})
