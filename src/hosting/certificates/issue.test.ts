import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openWorld, type World } from './testing/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const name = 'www.shop.example'

describe('a first certificate', () => {
  test('is ordered, and installed without a restart', async () => {
    world.want(name)
    expect(world.certificates.certificateOf(name).status).toBe('none')
    await world.order()
    const [usable] = [...world.certificates.usable()]
    const leaf = new X509Certificate(usable?.cert ?? '')
    expect(leaf.subjectAltName).toBe(`DNS:${name}`)
    expect(leaf.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
    expect(usable?.serverName).toBe(name)
    expect(usable?.expiresAtMs).toBe(Date.parse(leaf.validTo))
    expect(world.certificates.certificateOf(name)).toEqual({
      status: 'active',
      expiresAt: Date.parse(leaf.validTo),
      nextAttemptAt: null,
      rateLimitedUntil: null,
      error: null,
    })
  })

  test('leaves files that only their owner can read, one key for the account and one for the certificate', async () => {
    world.want(name)
    await world.order()
    const directory = join(world.folder, 'certificates')
    const files = readdirSync(directory)
    expect(files.map((file) => file.split('.')[1]).toSorted()).toEqual(['key', 'key', 'pem'])
    expect(files.map((file) => statSync(join(directory, file)).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  })

  test('survives a restart, from the files', async () => {
    world.want(name)
    await world.order()
    const [before] = [...world.certificates.usable()]
    await world.restart()
    expect(before?.serverName).toBe(name)
    expect([...world.certificates.usable()]).toEqual([before as never])
    await world.order()
    expect(world.ca.count('newOrder')).toBe(1)
  })
})
