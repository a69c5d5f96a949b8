import { expect, test } from 'bun:test'
import { right, shopPerTest } from './testing/check.ts'
import { encodeReply, type Response, type TestQuery } from './testing/dns-server.ts'
import { addresses, shopZone } from './testing/shop.ts'
import { shortLimits, type WorldServer } from './testing/world.ts'

const shop = shopPerTest()

const formatError = { rcode: 1 }
const hasEdns = ({ maximumBytes, overTcp }: TestQuery) => !overTcp && maximumBytes !== 512
const rejection = (query: TestQuery): Response | undefined => (hasEdns(query) ? formatError : undefined)
/** Repeats nothing of the query. */
const headerAlone = (query: TestQuery): Response | undefined =>
  hasEdns(query) ? { raw: [encodeReply(query, formatError).subarray(0, 12).fill(0, 4)] } : undefined

const token = 'petstore-verify=abc'
const names = [3, 4, 5, 6].map((i) => ({ label: `ns${i}`, address: `45.1.1.${i}` }))

/** Checks a domain with the right records, of which all six servers behave like this. */
function check(server: Partial<WorldServer>) {
  const records = [
    right,
    `_petstore-verify.www 300 TXT ${token}`,
    ...names.map(({ label }) => `@ 3600 NS ${label}`),
  ].join('\n')
  const delegation = names.map(({ label, address }) => `kiosk 300 NS ${label}.kiosk\n${label}.kiosk 300 A ${address}`)
  const options = {
    registry: delegation.join('\n'),
    change: { [addresses.first]: server, [addresses.second]: server },
    more: names.map(({ address }) => ({ address, zones: [shopZone(records)], ...server })),
    limits: { tcpTimeoutMs: shortLimits.tcpTimeoutMs },
  }
  return shop.check(records, options, { ownershipToken: token })
}

const verified = { routing: 'verified', ownership: 'verified', caa: 'verified', complete: true, findings: [] }

for (const [form, handle] of Object.entries({ 'a reply': rejection, 'a header alone': headerAlone })) {
  test(`six servers that reject EDNS with ${form} and refuse TCP are checked within the limits`, async () => {
    expect(await check({ handle, tcp: false })).toMatchObject(verified)
  })

  test(`six servers that reject EDNS with ${form} and do not reply over TCP are checked within the limits`, async () => {
    const silentOverTcp = (query: TestQuery) => (query.overTcp ? 'silence' : handle(query))
    expect(await check({ handle: silentOverTcp })).toMatchObject(verified)
    for (const { address } of names) {
      const queries = shop.world().servers.get(address)?.queries ?? []
      // Those for A, AAAA and TXT are simultaneous.
      expect(queries.filter(({ overTcp }) => overTcp).length).toBeLessThanOrEqual(3)
      expect(queries.filter(hasEdns).length).toBeLessThanOrEqual(3)
    }
  })
}

test('a server that rejects one type of records with and without EDNS gets the other queries with EDNS', async () => {
  const handle = ({ type }: TestQuery) => (type === 'AAAA' ? { rcode: 4 } : undefined)
  await check({ handle, tcp: false })
  const queries = shop.world().servers.get(addresses.first)?.queries ?? []
  const others = queries.filter(({ type }) => type !== 'AAAA')
  expect([others.length > 0, others.every(hasEdns)]).toEqual([true, true])
})
