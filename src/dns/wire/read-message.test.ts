import { describe, expect, test } from 'bun:test'
import { type Answer, encode } from 'dns-packet'
import fc from 'fast-check'
import { createQuery, isSendable, matchReply } from './query.ts'
import { readHeader, readQuestion, readReply } from './read-message.ts'

const question = { name: 'www.kiosk.example', type: 'A', class: 'IN' } as const
const message = (answers: Answer[], more: object = {}) =>
  new Uint8Array(encode({ type: 'response', id: 7, flags: 1 << 10, questions: [question], answers, ...more }))

const records: readonly (readonly [Answer, string])[] = [
  [{ type: 'A', name: 'a.example', ttl: 1, data: '45.1.2.3' }, '45.1.2.3'],
  [{ type: 'AAAA', name: 'a.example', ttl: 1, data: '2a01:4f8::9' }, '2a01:4f8::9'],
  [{ type: 'CNAME', name: 'A.Example', ttl: 1, data: 'Shop.Stores.Example' }, 'shop.stores.example'],
  [{ type: 'NS', name: 'a.example', ttl: 1, data: 'ns1.a.example' }, 'ns1.a.example'],
  [
    { type: 'MX', name: 'a.example', ttl: 1, data: { preference: 10, exchange: 'mail.a.example' } },
    '10 mail.a.example',
  ],
  [{ type: 'TXT', name: 'a.example', ttl: 1, data: ['one ', 'two'] }, 'one two'],
  [
    { type: 'CAA', name: 'a.example', ttl: 1, data: { flags: 128, tag: 'issue', value: 'ca.example; a=1' } },
    '128 issue "ca.example; a=1"',
  ],
]

describe('a reply', () => {
  test('has its records in the form of zone files', () => {
    const reply = readReply(message(records.map(([record]) => record)))
    expect(reply).toMatchObject({ rcode: 'NOERROR', authoritative: true, truncated: false })
    expect(reply.answers.map(({ name, value }) => [name, value])).toEqual(
      records.map(([, value]) => ['a.example', value]),
    )
  })

  test('has a TTL of zero if its highest bit is set', () => {
    const answers = [{ type: 'A', name: 'a.example', ttl: 0x8000_0001, data: '45.1.2.3' }] as const
    expect(readReply(message([...answers])).answers[0]?.ttl).toBe(0)
  })

  test('with any changed octets is decoded or rejected as malformed, in a short time', () => {
    const bytes = message(records.map(([record]) => record))
    const change = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 12 })
    const property = fc.property(change, fc.nat(bytes.length), (changes, length) => {
      const changed = bytes.slice(0, length)
      for (const [at, octet] of changes) if (at < changed.length) changed[at] = octet
      readHeader(changed)
      readQuestion(changed)
      try {
        for (const { name, value } of readReply(changed).answers) expect(name.length + value.length).toBeLessThan(4_000)
      } catch (error) {
        expect((error as Error).name).toBe('MalformedMessage')
      }
    })
    const startMs = performance.now()
    fc.assert(property, { numRuns: 500 })
    expect(performance.now() - startMs).toBeLessThan(10_000)
  })

  test('of random octets is malformed', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      try {
        readReply(bytes)
      } catch (error) {
        expect((error as Error).name).toBe('MalformedMessage')
      }
    })
    fc.assert(property, { numRuns: 300 })
  })

  test('of 64 kB of pointers is rejected within milliseconds', () => {
    const bytes = new Uint8Array(65_535)
    const view = new DataView(bytes.buffer)
    view.setUint16(2, 0x8400)
    view.setUint16(6, 400)
    for (let at = 14; at < 16_000; at += 2) view.setUint16(at, 0xc000 | (at - 2))
    view.setUint16(16_000, 0xc000 | 15_998)
    const startMs = performance.now()
    expect(() => readReply(bytes)).toThrow()
    expect(performance.now() - startMs).toBeLessThan(500)
  })
})

describe('a query', () => {
  test('differs from the next one by id and by the case of its letters', () => {
    const queries = Array.from({ length: 20 }, () => createQuery({ name: 'www.kiosk.example', type: 'A' }))
    expect(new Set(queries.map(({ id }) => id)).size).toBeGreaterThan(15)
    expect(new Set(queries.map(({ question: { name } }) => name)).size).toBeGreaterThan(15)
    for (const { question: sent } of queries) expect(sent.name.toLowerCase()).toBe('www.kiosk.example')
  })

  test('is matched by a reply with its id, its question and the case of its letters', () => {
    const query = createQuery({ name: 'www.kiosk.example', type: 'A' })
    const other = query.question.name.replace(/[a-z]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    const replyTo = (id: number, name: string, type: 'A' | 'MX' = 'A', kind: 'response' | 'query' = 'response') =>
      matchReply(query, new Uint8Array(encode({ type: kind, id, questions: [{ name, type, class: 'IN' }] })))
    expect(replyTo(query.id, query.question.name)).toBe('yes')
    expect(replyTo(query.id, other)).toBe('other_case')
    expect(replyTo(query.id ^ 1, query.question.name)).toBe('no')
    expect(replyTo(query.id, 'www.other.example')).toBe('no')
    expect(replyTo(query.id, query.question.name, 'MX')).toBe('no')
    expect(replyTo(query.id, query.question.name, 'A', 'query')).toBe('no')
  })

  test('is sent only for names that need no escapes', () => {
    expect(['a.example', '_dmarc.a.example', '*.a.example'].map(isSendable)).toEqual([true, true, true])
    expect(['', 'a..b', 'a\\046b.example', `${'a'.repeat(64)}.example`, 'a.'.repeat(130)].map(isSendable)).toEqual(
      Array(5).fill(false),
    )
  })
})
