import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { maximumRunning } from './queue.ts'
import { createCertificateStore } from './store.ts'
import { openWorld, type World } from './testing/world.ts'

const name = 'www.shop.example'
const day = 86_400_000

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const served = () => [...world.certificates.usable()].map(({ serverName }) => serverName)
const store = () => createCertificateStore(world.database.tables)
const files = () => readdirSync(join(world.folder, 'certificates')).toSorted()

describe('a removed name', () => {
  test('is out of use at once, and the same account gets its certificate back without an order', async () => {
    world.want(name, 1)
    await world.order()
    const [before] = [...world.certificates.usable()]
    world.unwant(name)
    await world.order()
    expect(served()).toEqual([])
    expect(world.certificates.certificateOf(name).status).toBe('none')
    expect(world.certificates.findingsOf(name)).toEqual([])
    await world.restart()
    expect(served()).toEqual([])
    world.want(name, 1)
    await world.order()
    expect([...world.certificates.usable()]).toEqual([before as never])
    expect(world.ca.count('newOrder')).toBe(1)
  })

  test('loses its certificate and key when another account gets the name', async () => {
    world.want(name, 1)
    await world.order()
    const old = store().find(name)?.file
    world.unwant(name)
    await world.order()
    expect(files().filter((file) => file.startsWith(old ?? '?'))).toHaveLength(2)
    world.want(name, 2)
    await world.order()
    expect(world.ca.count('newOrder')).toBe(2)
    expect(files().filter((file) => file.startsWith(old ?? '?'))).toEqual([])
    expect(store().find(name)).toMatchObject({ accountId: 2, failures: 0 })
  })

  test('that moves to another account directly is ordered anew as well', async () => {
    world.want(name, 1)
    await world.order()
    world.want(name, 2)
    await world.order()
    expect(world.ca.count('newOrder')).toBe(2)
    expect(served()).toEqual([name])
  })

  test('is out of use before the comparison with the wanted ones, and back in use if the same account has it again by then', async () => {
    world.want(name, 1)
    await world.order()
    expect(world.certificates.certificateOf(name, 1).status).toBe('active')
    expect(world.certificates.certificateOf(name, 2).status).toBe('none')
    world.certificates.release(name)
    expect(served()).toEqual([])
    await world.order()
    expect([served(), world.ca.count('newOrder')]).toEqual([[name], 1])
  })

  test('cancels its order, whose challenge is then not served', async () => {
    world.want(name)
    const reached = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    world.ca.inject('finalize', async () => {
      reached.resolve()
      await go.promise
      return undefined
    })
    await world.start()
    await reached.promise
    const order = store().openOrder(name)
    expect(world.certificates.certificateOf(name).status).toBe('issuing')
    expect(world.certificates.challengeResponse(name, order?.token ?? '')).toBe(order?.keyAuthorization as string)
    world.unwant(name)
    world.certificates.release(name)
    expect(world.certificates.challengeResponse(name, order?.token ?? '')).toBeUndefined()
    await world.start()
    go.resolve()
    await world.certificates.settled()
    expect(world.ca.count('certificate')).toBe(0)
    expect(world.certificates.outcomes).toMatchObject({ cancelled: 1, failed: 0 })
    expect(world.certificates.challengeResponse(name, order?.token ?? '')).toBeUndefined()
    expect(store().openOrder(name)).toBeUndefined()
    expect(served()).toEqual([])
    expect(files().filter((file) => file.startsWith(order?.file ?? '?'))).toEqual([])
    world.want(name)
    await world.order()
    expect(served()).toEqual([name])
  })

  test('is deleted with its files after its certificate has expired', async () => {
    world.want(name)
    await world.order()
    world.unwant(name)
    await world.order()
    world.clock.skip(89 * day)
    await world.sweep()
    expect(store().find(name)).toBeDefined()
    world.clock.skip(2 * day)
    await world.sweep()
    expect(store().find(name)).toBeUndefined()
    expect(files()).toHaveLength(1)
  })
})

describe('the queue', () => {
  test('takes the platform before domains, domains before projects, and runs a few at once', async () => {
    const order: string[] = []
    let now = 0
    let most = 0
    world.ca.inject(
      'newOrder',
      ...Array(12).fill(async () => {
        most = Math.max(most, ++now)
        await Bun.sleep(0)
        now--
        return undefined
      }),
    )
    for (let count = 0; count < 5; count++) world.want(`slug${count}.stores.example`, 1, 'slug')
    for (let count = 0; count < 5; count++) world.want(`www${count}.shop.example`, 1, 'domain')
    world.want('api.stores.example', null, 'api')
    await world.order()
    for (const { payload } of world.ca.requests.filter(({ step }) => step === 'newOrder')) {
      order.push((payload as { identifiers: { value: string }[] }).identifiers[0]?.value ?? '')
    }
    // Those that run at once reach the authority in any order.
    expect(order.indexOf('api.stores.example')).toBeWithin(0, maximumRunning)
    const firstSlug = order.findIndex((one) => one.startsWith('slug'))
    const lastDomain = order.findLastIndex((one) => one.startsWith('www'))
    expect(lastDomain - firstSlug).toBeLessThan(maximumRunning)
    expect(served()).toHaveLength(11)
    expect(most).toBeLessThanOrEqual(maximumRunning)
    expect(world.certificates.outcomes.issued).toBe(11)
  })

  test('orders one certificate for each name', async () => {
    world.want('shop.example')
    world.want(name)
    await world.order()
    const sent = world.ca.requests
      .filter(({ step }) => step === 'newOrder')
      .map(({ payload }) => JSON.stringify(payload))
    expect(sent.toSorted()).toEqual([
      '{"identifiers":[{"type":"dns","value":"shop.example"}]}',
      `{"identifiers":[{"type":"dns","value":"${name}"}]}`,
    ])
  })
})

describe('a key authorization', () => {
  test('is served for the host of its order alone, and only for a token of a challenge', async () => {
    world.want(name)
    let token = ''
    world.web.respond = (_, given) => {
      token = given
      expect(world.certificates.challengeResponse('other.shop.example', token)).toBeUndefined()
      expect(world.certificates.challengeResponse(name, `${token}x`)).toBeUndefined()
      expect(world.certificates.challengeResponse(name, '../../etc/passwd')).toBeUndefined()
      expect(world.certificates.challengeResponse(name, "' OR 1=1 --xxxxxxxxxxxxxxx")).toBeUndefined()
      return world.certificates.challengeResponse(name.toUpperCase(), token)
    }
    await world.order()
    expect(served()).toEqual([name])
    expect(world.certificates.challengeResponse(name, token)).toBeUndefined()
  })
})

describe('files', () => {
  test('that are gone at the next start are ordered again', async () => {
    world.want(name)
    await world.order()
    rmSync(join(world.folder, 'certificates', `${store().find(name)?.file}.key`))
    await world.restart()
    expect(served()).toEqual([])
    await world.order()
    expect(served()).toEqual([name])
    expect(world.ca.count('newOrder')).toBe(2)
  })

  test('of the account that are gone are replaced, and the account is registered again', async () => {
    world.want(name)
    await world.order()
    rmSync(join(world.folder, 'certificates', `${store().account(world.ca.directoryUrl)?.file}.key`))
    await world.restart()
    world.want('shop.example')
    await world.order()
    expect(world.ca.accounts.size).toBe(2)
    expect(served().toSorted()).toEqual(['shop.example', name])
  })

  test('that nobody uses are deleted at the start', async () => {
    world.want(name)
    await world.order()
    const before = files()
    const directory = join(world.folder, 'certificates')
    await Bun.write(join(directory, `${crypto.randomUUID()}.key`), 'left behind')
    await Bun.write(join(directory, `${before[0]}.unfinished`), 'half')
    await Bun.write(join(directory, 'notes.txt'), "the operator's own")
    await world.restart()
    expect(files()).toEqual([...before, 'notes.txt'].toSorted())
  })

  test('that cannot be read are reported, keep their row, and are in use again after the next start', async () => {
    world.want(name)
    await world.order()
    const path = join(world.folder, 'certificates', `${store().find(name)?.file}.pem`)
    renameSync(path, `${path}.kept`)
    mkdirSync(path)
    await world.restart()
    expect(served()).toEqual([])
    expect(world.logged.join('')).toContain('a certificate is not in use until the next start')
    await world.order()
    expect(world.ca.count('newOrder')).toBe(1)
    rmSync(path, { recursive: true })
    renameSync(`${path}.kept`, path)
    await world.restart()
    expect(served()).toEqual([name])
  })

  test('in a directory that cannot be written keep the order open, until it can', async () => {
    world.want(name)
    const directory = join(world.folder, 'certificates')
    await Bun.write(directory, 'a file in the place of the directory')
    await world.order()
    const { status, error } = world.certificates.certificateOf(name)
    expect(status).toBe('failed')
    expect(error).toContain("can't be stored")
    expect(error).toContain(directory)
    rmSync(directory)
    await world.certificates.retry(name, [])
    await world.order()
    expect(served()).toEqual([name])
  })
})
