import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createManualClock } from '../../lib/clock.ts'
import { createPlaceholders } from './placeholders.ts'

/** A receiver that takes `free` bytes. */
function createReceiver(free = Number.POSITIVE_INFINITY) {
  const taken: Buffer[] = []
  const calls: string[] = []
  const receiver = {
    calls,
    free,
    text: () => Buffer.concat(taken).toString('latin1'),
    write(bytes: Uint8Array) {
      const size = Math.min(receiver.free, bytes.length)
      receiver.free -= size
      taken.push(Buffer.from(bytes.subarray(0, size)))
      return size
    },
    end: () => void calls.push('ends'),
    pause: () => void calls.push('pauses'),
    resume: () => void calls.push('resumes'),
    timeout: () => {},
  }
  return receiver
}

const head = (length: number) => `HTTP/1.1 200 OK\r\nETag: "C"\r\nContent-Length: ${length}\r\n\r\n`
const response = (body: string) => head(body.length) + body
const bodyOf = (letter: string, size: number) => letter.repeat(size)

test('responses in pieces of any size are the same as if the bodies had been sent, also to a slow receiver', () => {
  const body = fc.tuple(fc.constantFrom('a', 'C', 'Content-Length: 40\r\n\r\n'), fc.nat(70_000))
  const bodies = fc.array(body, { minLength: 1, maxLength: 5 })
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })
  fc.assert(
    fc.property(bodies, cuts, fc.integer({ min: 1, max: 40_000 }), (list, places, step) => {
      const { placeholderFor, relay } = createPlaceholders(createManualClock(0))
      const receiver = createReceiver(0)
      const restoring = relay(createReceiver(), receiver, 60)
      const texts = list.map(([text, size]) => text.repeat(Math.ceil(size / text.length)))
      const sent = texts.map((text) => response(placeholderFor(Buffer.from(text)) ?? text)).join('')
      const ends = [...places.map((place) => Math.floor(place * sent.length)), sent.length].sort((a, b) => a - b)
      let from = 0
      for (const end of ends) {
        if (end > from) restoring.send(Buffer.from(sent.slice(from, end), 'latin1'))
        from = end
        receiver.free += step
        restoring.drain()
      }
      restoring.end()
      for (; !receiver.calls.includes('ends'); receiver.free += step) restoring.drain()
      expect(receiver.text() === texts.map(response).join('')).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('a response that ends like the beginning of a placeholder is sent whole although nothing follows', async () => {
  const { placeholderFor, relay } = createPlaceholders(createManualClock(0))
  // Another connection waits for this one.
  placeholderFor(Buffer.alloc(9_000))
  const receiver = createReceiver()
  const restoring = relay(createReceiver(), receiver, 60)
  restoring.send(Buffer.from(response('words C')))
  while (receiver.text() !== response('words C')) await Bun.sleep(0)
  restoring.send(Buffer.from(response('more')))
  expect(receiver.text()).toBe(response('words C') + response('more'))
})

test('a small body has no placeholder, and neither has one when a thousand wait, until they are given up', () => {
  const clock = createManualClock(0)
  const { placeholderFor } = createPlaceholders(clock)
  const body = Buffer.alloc(9_000)
  expect(placeholderFor(Buffer.alloc(1_000))).toBeUndefined()
  for (let i = 0; i < 1_000; i++) expect(placeholderFor(body)).toHaveLength(40)
  expect(placeholderFor(body)).toBeUndefined()
  clock.advance(601_000)
  expect(placeholderFor(body)).toHaveLength(40)
})

test('bodies that wait have at most 32 MiB together, also after many have arrived', () => {
  const { placeholderFor, relay } = createPlaceholders(createManualClock(0))
  const body = Buffer.alloc(10 * 1_024 * 1_024)
  const restoring = relay(createReceiver(), createReceiver(), 60)
  for (let i = 0; i < 4; i++) restoring.send(Buffer.from(response(placeholderFor(body) ?? '')))
  const held = Array.from({ length: 4 }, () => placeholderFor(body))
  expect(held.map((text) => text?.length)).toEqual([40, 40, 40, undefined])
})

test('a placeholder that was given up ends the connection and is not sent', () => {
  const clock = createManualClock(0)
  const { placeholderFor, relay } = createPlaceholders(clock)
  const receiver = createReceiver()
  const restoring = relay(createReceiver(), receiver, 60)
  const late = placeholderFor(Buffer.from(bodyOf('x', 9_000))) ?? ''
  clock.advance(601_000)
  for (let i = 0; i < 1_000; i++) placeholderFor(Buffer.alloc(9_000))
  restoring.send(Buffer.from(response(late)))
  restoring.send(Buffer.from(response('next')))
  expect([receiver.text(), receiver.calls]).toEqual(['', ['ends']])
})
