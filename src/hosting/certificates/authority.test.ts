import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { maximumReplyBytes, requestTimeoutMs } from './acme/transport.ts'
import { renewalIdentifierOf } from './testing/issuer.ts'
import { openWorld, type World } from './testing/world.ts'

const name = 'www.shop.example'
const minute = 60_000

let world: World
beforeEach(async () => {
  world = await openWorld()
  world.want(name)
})
afterEach(() => world.close())

const status = () => world.certificates.certificateOf(name)

test('a request whose nonce is rejected is repeated with the next one', async () => {
  world.ca.settings.badNonces = 5
  await world.order()
  expect(status().status).toBe('active')
})

test('an authority that rejects every nonce does not keep the order busy', async () => {
  world.ca.settings.badNonces = Number.POSITIVE_INFINITY
  await world.order()
  expect(status().error).toContain('The nonce was not accepted.')
  expect(world.ca.count('newAccount')).toBeLessThan(10)
})

test('the terms of service and the CAA identities of the directory are known after the first contact, also after a restart', async () => {
  expect(world.certificates.authority()).toEqual({
    termsOfService: undefined,
    caaIdentities: [],
    accountUri: undefined,
  })
  const fetched = await world.certificates.fetchAuthority(new AbortController().signal)
  expect(fetched.caaIdentities).toEqual(['ca.example'])
  expect(fetched.termsOfService).toEndWith('/terms')
  expect(world.certificates.authority().caaIdentities).toEqual(['ca.example'])
  await world.order()
  await world.restart()
  const { caaIdentities, accountUri, termsOfService } = world.certificates.authority()
  expect({ caaIdentities, termsOfService }).toEqual({
    caaIdentities: ['ca.example'],
    termsOfService: fetched.termsOfService as string,
  })
  expect(accountUri).toEndWith('/account/1')
})

describe('an authority that', () => {
  const failures: readonly (readonly [string, () => Response | Promise<Response>, RegExp])[] = [
    ['sends HTML', () => new Response('<html>busy', { status: 200 }), /not JSON/],
    ['sends an error without a problem document', () => new Response('oops', { status: 500 }), /status 500/],
    ['sends JSON of another form', () => Response.json({ newOrder: 7 }), /not valid/],
    ['sends JSON that is nested deeply', () => new Response('['.repeat(100_000)), /not JSON|not valid/],
    ['redirects', () => new Response('', { status: 302, headers: { Location: 'http://127.0.0.1/' } }), /status 302/],
    [
      'sends addresses of another scheme',
      () => Response.json({ newNonce: 'file:///etc/passwd', newAccount: 'file:///', newOrder: 'x' }),
      /can't be used/,
    ],
    ['sends too much', () => new Response(new Uint8Array(maximumReplyBytes + 1)), /more than/],
    [
      'sends too much, compressed',
      () => new Response(Bun.gzipSync(new Uint8Array(50_000_000)), { headers: { 'Content-Encoding': 'gzip' } }),
      /more than/,
    ],
  ]
  for (const [what, response, message] of failures) {
    test(`${what} costs one attempt, which is repeated`, async () => {
      world.ca.inject('directory', response)
      await world.order()
      expect(status().status).toBe('failed')
      expect(status().error).toMatch(message)
      expect(world.certificates.findingsOf(name)).toEqual([])
      world.clock.skip(minute)
      await world.order()
      expect(status().status).toBe('active')
    })
  }

  test('does not reply is left after the timeout', async () => {
    const received = Promise.withResolvers<void>()
    const never = Promise.withResolvers<Response>()
    world.ca.inject('newOrder', () => {
      received.resolve()
      return never.promise
    })
    await world.start()
    await received.promise
    world.clock.advance(requestTimeoutMs)
    await world.certificates.settled()
    expect(status().error).toMatch(/did not reply within 30 seconds/)
    never.resolve(new Response())
  })

  test('sends its reply byte by byte is left after the timeout', async () => {
    const received = Promise.withResolvers<void>()
    let isOpen = true
    world.ca.inject('newOrder', () => {
      const body = new ReadableStream({
        async pull(controller) {
          controller.enqueue(new Uint8Array([32]))
          received.resolve()
          await Bun.sleep(1)
        },
        cancel() {
          isOpen = false
        },
      })
      return new Response(body)
    })
    await world.start()
    await received.promise
    world.clock.advance(requestTimeoutMs)
    await world.certificates.settled()
    expect(status().error).toMatch(/did not reply within 30 seconds/)
    while (isOpen) await Bun.sleep(1)
  })

  test('is down is tried again, and the order continued', async () => {
    world.ca.inject('finalize', { type: 'serverInternal', detail: 'Service unavailable', status: 503 })
    await world.order()
    expect(status().error).toStartWith('Service unavailable. The service tries again automatically.')
    world.clock.skip(minute)
    await world.order()
    expect(status().status).toBe('active')
    expect(world.ca.orders.size).toBe(1)
  })

  test('is away when a certificate is to be renewed is not asked for a list of orders when it is back', async () => {
    await world.order()
    world.clock.skip(61 * 24 * 60 * minute)
    await world.restart()
    world.ca.inject('newNonce', () => new Response(null, { status: 502 }))
    await world.order()
    expect(status().error).toMatch(/status 502/)
    expect(world.ca.count('newOrder')).toBe(1)
    world.clock.skip(24 * 60 * minute)
    await world.order()
    expect(world.ca.count('newOrder')).toBe(2)
    expect(world.ca.count('orders')).toBe(0)
  })

  test('is down for hours is tried every ten minutes', async () => {
    world.ca.inject('directory', ...Array.from({ length: 5 }, () => () => new Response('down', { status: 502 })))
    const pauses: number[] = []
    for (let count = 0; count < 5; count++) {
      await world.order()
      pauses.push(((status().nextAttemptAt ?? 0) - world.clock.now()) / minute)
      world.clock.skip((pauses.at(-1) ?? 0) * minute)
    }
    expect(pauses).toEqual([1, 10, 10, 10, 10])
    await world.order()
    expect(status().status).toBe('active')
  })

  test('was down before a restart is asked soon after it', async () => {
    world.ca.inject('directory', () => new Response('down', { status: 502 }))
    await world.order()
    await world.restart()
    await world.order()
    expect(status().status).toBe('active')
  })

  test('rejects the account for hours is asked again for each name after its first success', async () => {
    const unpaid = { type: 'unauthorized', detail: 'Your plan has no more certificates.', status: 403 }
    world.ca.inject('newOrder', ...Array.from({ length: 4 }, () => unpaid))
    for (const minutes of [1, 10, 100, 15]) {
      await world.order()
      world.clock.skip(minutes * minute)
    }
    await world.order()
    expect(status().status).toBe('failed')
    world.want('cats.example')
    await world.order()
    await world.order()
    expect(status().status).toBe('active')
  })

  test('wants a pause (503 with Retry-After) gets it for every order', async () => {
    world.ca.inject('newOrder', {
      type: 'serverInternal',
      detail: 'busy',
      status: 503,
      headers: { 'Retry-After': '3600' },
    })
    await world.order()
    expect(status().rateLimitedUntil).toBeGreaterThan(world.clock.now() + 59 * minute)
    world.want('shop.example')
    world.clock.skip(30 * minute)
    await world.order()
    expect(world.ca.count('newOrder')).toBe(1)
  })

  test('issues for another name, another key or no certificate at all gets a new order', async () => {
    const certificates = [
      'no certificate',
      (await world.ca.issuer.server([name])).cert,
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    ]
    for (const [count, text] of certificates.entries()) {
      world.ca.inject('certificate', new Response(text))
      await world.order()
      expect(status().error).toContain("issued a certificate that can't be used")
      expect(world.ca.orders.size).toBe(count + 1)
      world.clock.skip(24 * 60 * minute)
    }
    await world.order()
    expect(status().status).toBe('active')
  })

  test('offers no http-01, or a token that is none, is not obeyed', async () => {
    for (const token of ['../../../secret', 'short', '']) {
      const challenges = [{ type: 'http-01', url: 'http://127.0.0.1/', status: 'pending', token }]
      world.ca.inject(
        'authorization',
        Response.json({ status: 'pending', identifier: { type: 'dns', value: name }, challenges }),
      )
      await world.order()
      expect(status().error).toMatch(/token is not valid|offers no http-01/)
      world.clock.skip(24 * 60 * minute)
    }
  })

  test('reuses a valid authorization needs no challenge', async () => {
    await world.order()
    world.ca.settings.reusesAuthorizations = true
    world.clock.skip(61 * 24 * 60 * minute)
    await world.order()
    expect(world.ca.count('challenge')).toBe(1)
    expect(world.ca.orders.size).toBe(2)
    expect(status().status).toBe('active')
  })
})

test('the identifier of a certificate for renewal information is that of RFC 9773, section 4.1', async () => {
  const identifier = await renewalIdentifierOf('69885b6b87464041e1b37b847ba0ae2cde01c8d4', '87654321')
  expect(identifier).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
})
