import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { AdmissionHeaders, setAdmissionHeaders } from './admission-headers.ts'
import { ReusedHeaders } from './reused-headers.ts'

const text = fc.constantFrom('a', 'b')
const number = fc.nat(2)
const shopOrigin = { vary: 'Origin', 'access-control-allow-origin': 'https://shop.example' }
const fixed = { 'cache-control': 'no-store' }
const names = ['etag', 'link']

test('each response has exactly its own status and headers, whatever the responses before had', () => {
  const response = fc.record({
    status: fc.constantFrom(200, 201),
    admission: fc.record(
      {
        requestId: text,
        cors: fc.constantFrom(shopOrigin, { vary: 'Origin' }),
        limit: number,
        remaining: number,
        reset: number,
        policy: text,
        rateLimit: text,
      },
      { requiredKeys: [] },
    ),
    own: fc.tuple(fc.option(text, { nil: undefined }), fc.option(text, { nil: undefined })),
  })
  fc.assert(
    fc.property(fc.array(response, { maxLength: 20 }), (responses) => {
      const reused = new ReusedHeaders(fixed, names)
      for (const { status, admission, own } of responses) {
        const expected: Record<string, string | number> = { ...fixed }
        const given = Object.assign(new AdmissionHeaders(), admission)
        setAdmissionHeaders(expected, given)
        for (const [i, name] of names.entries()) if (own[i] !== undefined) expected[name] = own[i]
        const sent = reused.respond(status, given, own, '')
        const lowerCase = Object.entries(expected).map(([name, value]) => [name.toLowerCase(), String(value)])
        // Bun adds the type of a text.
        sent.headers.delete('content-type')
        expect([sent.status, Object.fromEntries(sent.headers)]).toEqual([status, Object.fromEntries(lowerCase)])
      }
    }),
  )
})

test('a value that no header can have is an error each time, and later responses are right', () => {
  const reused = new ReusedHeaders(fixed, names)
  const admission = new AdmissionHeaders()
  const wrong = () => reused.respond(200, admission, ['a', 'a\nb'], '')
  for (let times = 0; times < 2; times++) expect(wrong).toThrow()
  const right = () => reused.respond(200, admission, ['b', 'c'], '').headers
  for (let times = 0; times < 2; times++) expect([right().get('etag'), right().get('link')]).toEqual(['b', 'c'])
  for (let times = 0; times < 2; times++) expect(wrong).toThrow()
})
