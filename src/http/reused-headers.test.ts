import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ReusedHeaders } from './reused-headers.ts'

test('each response has exactly its own headers, whatever the responses before had', () => {
  const head = fc.dictionary(
    fc.constantFrom('x-request-id', 'link', 'etag', 'vary', 'x-ratelimit-remaining'),
    fc.oneof(fc.constantFrom('a', 'b'), fc.nat(2)),
  )
  fc.assert(
    fc.property(fc.array(head, { maxLength: 20 }), (heads) => {
      const reused = new ReusedHeaders()
      for (const headers of heads) {
        const { headers: sent } = reused.respond(200, headers, '')
        const expected = Object.entries(headers).map(([name, value]) => [name, String(value)])
        // Bun adds the type of a text.
        sent.delete('content-type')
        expect(Object.fromEntries(sent)).toEqual(Object.fromEntries(expected))
      }
    }),
  )
})

test('a value that no header can have is an error each time', () => {
  const reused = new ReusedHeaders()
  const wrong = () => reused.respond(200, { link: 'a\nb' }, '')
  for (let times = 0; times < 2; times++) expect(wrong).toThrow()
  reused.respond(200, { link: 'a' }, '')
  for (let times = 0; times < 2; times++) expect(wrong).toThrow()
})
