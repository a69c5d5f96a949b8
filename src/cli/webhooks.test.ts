import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { startReceiver, type TestReceiver } from '../operate/webhooks/testing/receiver.ts'
import { executable, isBuilt } from '../testing/executable.ts'
import { serversPerTest } from '../testing/per-test/server.ts'

const { petstore, serve, folder, cleanUp } = serversPerTest()

let receiver: TestReceiver
beforeAll(() => {
  receiver = startReceiver()
})
afterAll(() => receiver.stop())

const network = ['--webhook-network', '127.0.0.0/8']

describe.skipIf(!isBuilt)('petstore webhooks', () => {
  test('create, test, deliveries, retry, replay and remove work beside a server', async () => {
    const { add } = await serve(undefined, undefined, network)
    const created = await petstore('webhooks', 'create', receiver.url, '--types', 'pet.created')
    const [secret = ''] = created.out.split('\n')
    expect([created.code, created.out]).toEqual([0, expect.stringContaining('Webhook 1 sends pet.created to http://')])
    const before = receiver.received.length
    await add('Ada')
    const [first] = (await receiver.until(before + 1)).slice(before)
    expect(new Webhook(secret).verify(first?.text ?? '', Object.fromEntries(first?.headers ?? []))).toMatchObject({
      type: 'pet.created',
      data: { name: 'Ada' },
    })
    const tested = await petstore('webhooks', 'test', '1')
    expect(tested.out).toMatch(/^Delivered: the receiver answered 200 after \d+ ms\.\n$/)
    const list = await petstore('webhooks', 'list')
    expect(list.out).toContain('working')
    const deliveries = await petstore('webhooks', 'deliveries', '1', '--json')
    expect(JSON.parse(deliveries.out)).toMatchObject([{ id: 1, state: 'delivered', type: 'pet.created' }])
    expect((await petstore('webhooks', 'retry', '1')).code).toBe(0)
    await receiver.until(before + 3)
    const replayed = await petstore('webhooks', 'replay', '1', '--after', '0')
    expect(replayed.out).toBe('1 event will be delivered.\n')
    await receiver.until(before + 4)
    expect((await petstore('webhooks', 'remove', '1')).out).toStartWith('Deleted webhook 1')
    expect((await petstore('webhooks', 'list')).out).toStartWith('There are no webhooks yet.')
  }, 60_000)

  test('a test that is not delivered exits with 1, and says why', async () => {
    await serve()
    await petstore('webhooks', 'create', 'https://localhost:1/hook', '--types', 'pet.*')
    const { code, out } = await petstore('webhooks', 'test', '1')
    expect(code).toBe(1)
    expect(out).toMatch(/^Not delivered\. localhost leads to \S+, which is not on the public internet \(loopback\)\./)
  }, 60_000)

  test('wrong options are refused in a line', async () => {
    for (const [args, message] of [
      [['create', 'https://partner.example/'], '--types is missing'],
      [['create', 'https://partner.example/', '--types', 'pet.crated'], 'Did you mean pet.created?'],
      [['replay', '1'], 'Give either --after or --since.'],
      [['replay', '1', '--since', 'yesterday'], '--since must be a time'],
      [['listen'], '--forward-to is missing'],
      [['listen', '--forward-to', 'localhost:3000'], '--forward-to must be an address'],
      [['test', 'x'], 'ID must be a whole number'],
    ] as const) {
      const { code, err } = await petstore('webhooks', ...args)
      expect([code, err]).toEqual([2, expect.stringContaining(message)])
    }
  })

  test('listen signs events with the secret that it prints, and forwards them to a program', async () => {
    const { add } = await serve()
    const child = Bun.spawn([executable, 'webhooks', 'listen', '--forward-to', receiver.url, '--types', 'pet.*'], {
      cwd: folder(),
      stdout: 'pipe',
      stderr: 'ignore',
      env: { PATH: '/usr/bin:/bin', HTTP_PROXY: 'http://127.0.0.1:1' },
    })
    cleanUp(async () => {
      child.kill('SIGKILL')
      await child.exited
    })
    const reader = child.stdout.getReader()
    let out = ''
    const until = async (isEnough: () => boolean) => {
      while (!isEnough()) {
        const { value, done } = await reader.read()
        if (done) throw new Error(out)
        out += new TextDecoder().decode(value)
      }
    }
    await until(() => out.includes('\n'))
    const secret = out.trim()
    const before = receiver.received.length
    // The stream may begin after the first of them.
    const adding = { isOver: false }
    const added = (async () => {
      for (let i = 1; !adding.isOver; i++) {
        await add(`Pet ${i}`)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    const [first] = (await receiver.until(before + 1)).slice(before)
    adding.isOver = true
    await added
    new Webhook(secret).verify(first?.text ?? '', Object.fromEntries(first?.headers ?? []))
    await until(() => out.split('\n').length > 2)
    expect(out.split('\n')[1]).toMatch(/^\d{16} {2}pet\.created {9}200$/)
  }, 60_000)
})
