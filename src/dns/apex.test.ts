import { describe, expect, test } from 'bun:test'
import { both, codes, only, shopPerTest } from './testing/check.ts'
import type { TestQuery } from './testing/dns-server.ts'
import { addresses, ours, target } from './testing/shop.ts'
import { zone } from './testing/zone.ts'

const { check } = shopPerTest()

describe('an apex', () => {
  const apex = { hostname: 'kiosk.example' }

  test('passes with only public addresses', async () => {
    for (const records of [`@ 60 A ${ours.v4}`, `@ 60 AAAA ${ours.v6}`, `@ 60 A ${ours.v4}\n@ 60 AAAA ${ours.v6}`]) {
      const report = await check(records, {}, apex)
      expect(report).toMatchObject({ routing: 'verified', routedBy: 'address', isApex: true, findings: [] })
    }
  })

  test('passes with public addresses in any notation', async () => {
    const publicAddresses = ['2A01:04F8:0:0::0009']
    expect(await check(`@ 60 AAAA ${ours.v6}`, {}, { ...apex, publicAddresses })).toMatchObject({ routing: 'verified' })
  })

  test('without an address needs an ALIAS, or A and AAAA records', async () => {
    const finding = only(await check('', {}, apex))
    expect(finding).toMatchObject({ code: 'apex_needs_alias', expected: [ours.v4, ours.v6] })
    expect(finding.fix).toContain(`type ALIAS (some providers call it ANAME) with the name "@" and the value ${target}`)
    expect(finding.fix).toContain(`the addresses ${ours.v4}, ${ours.v6}; or use www.kiosk.example with a CNAME`)
  })

  test('gets the advice to create one A record where the service has one address', async () => {
    const finding = only(await check('', {}, { ...apex, publicAddresses: [ours.v4] }))
    expect(finding.fix).toContain(`an A record with the name "@" and the address ${ours.v4};`)
    expect(finding.fix).not.toContain('AAAA')
  })

  test('fails with any CNAME, also with the expected one', async () => {
    const finding = only(await check(`@ 60 CNAME ${target}.`, {}, apex))
    expect(finding).toMatchObject({ code: 'apex_needs_alias', type: 'CNAME' })
  })

  test('with a CNAME beside a right address gets the advice to delete only the CNAME', async () => {
    // This violates RFC 1034, and only servers that answer by the type do it.
    const handle = ({ name, type }: TestQuery) =>
      name === apex.hostname && type === 'AAAA'
        ? { authoritative: true, answers: [{ type: 'CNAME' as const, name, ttl: 60, data: target }] }
        : undefined
    const records = `@ 60 A ${ours.v4}`
    const finding = only(await check(records, { change: both({ handle }) }, apex))
    expect(finding).toMatchObject({ code: 'apex_needs_alias', type: 'CNAME' })
    expect(finding.fix).toEndWith(`delete this CNAME record. The other records (${ours.v4}) are right.`)
  })

  test('with a CNAME beside foreign addresses gets the advice to delete these too', async () => {
    const records = `@ 60 CNAME ${target}.\n@ 60 A 45.3.3.3`
    const foreign = only(await check(records, {}, apex))
    expect(foreign).toMatchObject({ code: 'apex_needs_alias', type: 'CNAME' })
    expect(foreign.fix).toContain(
      'delete this CNAME record and the A records with the name "@" and the value 45.3.3.3, then create a record of type ALIAS',
    )
    const mixed = only(await check(`${records}\n@ 60 A ${ours.v4}`, {}, apex))
    expect(mixed.fix).toEndWith(
      `delete this CNAME record and the A records with the name "@" and the value 45.3.3.3. The other records (${ours.v4}) are right.`,
    )
    // While the addresses of this service are not known, those of the name may be right.
    const unknown = only(await check(records, {}, { ...apex, publicAddresses: [] }))
    expect(unknown.fix).toContain('delete this CNAME record, then create a record of type ALIAS')
  })

  test('whose record has the domain twice in its name fails with that reason', async () => {
    for (const record of [`A ${ours.v4}`, `CNAME ${target}.`]) {
      const finding = only(await check(`kiosk.example ${60} ${record}`, {}, apex))
      expect(finding).toMatchObject({ code: 'label_doubled', name: apex.hostname, type: 'A' })
      expect(finding.message).toContain('kiosk.example has no address, but kiosk.example.kiosk.example has a record')
      expect(finding.fix).toContain('delete the record with the name "kiosk.example" and create a record of type ALIAS')
    }
    expect(codes(await check(`* 60 A 45.3.3.3`, {}, apex))).toEqual(['error apex_needs_alias'])
  })

  test('with another address fails', async () => {
    const finding = only(await check('@ 60 A 45.3.3.3', {}, apex))
    expect(finding).toMatchObject({ code: 'record_wrong_value', type: 'A', expected: [ours.v4, ours.v6] })
  })

  test('gets advice about AAAA records if it, or the service, has only IPv6 addresses', async () => {
    const foreign = only(await check('@ 60 AAAA 2a02::3', {}, apex))
    expect(foreign).toMatchObject({ code: 'record_wrong_value', type: 'AAAA' })
    expect(foreign.fix).toContain('delete the AAAA records with the name "@" and the value 2a02::3, and create')
    const partial = only(await check(`@ 60 AAAA ${ours.v6}\n@ 60 AAAA 2a02::3`, {}, apex))
    expect(partial).toMatchObject({ code: 'apex_partial_match', type: 'AAAA' })
    const request = { ...apex, publicAddresses: [ours.v6] }
    const empty = only(await check('', {}, request))
    expect(empty).toMatchObject({ code: 'apex_needs_alias', type: 'AAAA' })
    expect(empty.fix).toContain(`an AAAA record with the name "@" and the address ${ours.v6};`)
    const old = only(await check(`@ 60 AAAA ${ours.v6}\n@ 60 A 45.3.3.3`, {}, request))
    expect(old.fix).toEndWith('delete the A records with the name "@" and the value 45.3.3.3.')
  })

  test('with one right address and one wrong address fails as a partial match', async () => {
    const finding = only(await check(`@ 60 A ${ours.v4}\n@ 60 A 45.3.3.3`, {}, apex))
    expect(finding).toMatchObject({ code: 'apex_partial_match' })
    expect(finding.fix).toContain('delete the A records with the name "@" and the value 45.3.3.3.')
  })

  test('without a right IPv4 address gets the advice to create one: not every visitor has IPv6', async () => {
    const finding = only(await check(`@ 60 AAAA ${ours.v6}\n@ 60 A 45.3.3.3`, {}, apex))
    expect(finding).toMatchObject({ code: 'apex_partial_match' })
    expect(finding.fix).toContain(
      `the value 45.3.3.3, and create an A record with the name "@" and the address ${ours.v4}.`,
    )
  })

  test('may have a replaced address for a while, and the advice names only the present one', async () => {
    const request = { ...apex, publicAddresses: [ours.v4], acceptedAddresses: [ours.v4, '45.9.9.8'] }
    expect(await check('@ 60 A 45.9.9.8', {}, request)).toMatchObject({ routing: 'verified', findings: [] })
    const finding = only(await check('@ 60 A 45.3.3.3', {}, request))
    expect(finding.expected).toEqual([ours.v4])
    expect(JSON.stringify(finding)).not.toContain('45.9.9.8')
  })

  test('with a foreign IPv6 address fails for visitors with IPv6', async () => {
    // The second is an address of Cloudflare's proxy, which would also have taken over the first record.
    for (const foreign of ['2a02::3', '2606:4700::6']) {
      const finding = only(await check(`@ 60 A ${ours.v4}\n@ 60 AAAA ${foreign}`, {}, apex))
      expect(finding).toMatchObject({ code: 'aaaa_foreign', type: 'AAAA' })
      expect(finding.message).not.toContain(ours.v4)
    }
  })

  test('with a reserved address beside a right one gets the advice to delete only the wrong ones', async () => {
    const ula = only(await check(`@ 60 A ${ours.v4}\n@ 60 AAAA fd00::1`, {}, apex))
    expect(ula).toMatchObject({ code: 'reserved_address', type: 'AAAA' })
    expect(ula.fix).toEndWith('delete the AAAA records with the name "@" and the value fd00::1.')
    const several = only(await check(`@ 60 A ${ours.v4}\n@ 60 A 10.0.0.1\n@ 60 AAAA 2a02::3`, {}, apex))
    expect(several).toMatchObject({ code: 'reserved_address', type: 'A' })
    expect(several.fix).toEndWith('delete the A and AAAA records with the name "@" and the value 10.0.0.1, 2a02::3.')
  })

  test('with only a reserved address gets the advice to create another', async () => {
    const finding = only(await check('@ 60 AAAA fd00::1', {}, apex))
    expect(finding).toMatchObject({ code: 'reserved_address', type: 'AAAA' })
    expect(finding.fix).toContain('delete that record and create a record of type ALIAS')
  })

  test('is any name with its own zone', async () => {
    const sub = zone('shop.kiosk.example', `@ 300 NS ns1.kiosk.example.\n@ 60 A ${ours.v4}`)
    const change = { [addresses.first]: { zones: [sub] } }
    const options = { second: 'shop 300 NS ns1', change, more: [] }
    const report = await check('', options, { hostname: 'shop.kiosk.example' })
    expect(report).toMatchObject({ zone: 'shop.kiosk.example', isApex: true, routing: 'verified' })
  })

  test('at a known provider is advised to use the record type of that provider', async () => {
    const route53 = ['ns-1.awsdns-01.com', 'ns-2.awsdns-02.net']
    const registry = `books 300 NS ${route53[0]}.\nbooks 300 NS ${route53[1]}.`
    const books = zone('books.example', `@ 300 NS ${route53[0]}.\n@ 300 NS ${route53[1]}.`)
    const resolve = ({ name, type }: { name: string; type: string }) =>
      route53.includes(name) && type === 'A'
        ? { answers: [{ type: 'A' as const, name, ttl: 60, data: '45.1.0.9' }] }
        : undefined
    const options = { registry, resolve, more: [{ address: '45.1.0.9', zones: [books] }] }
    const finding = only(await check('', options, { hostname: 'books.example' }))
    expect(finding.fix).toStartWith('At Amazon Route 53, where the DNS of books.example is managed, create A and AAAA')
    expect(finding.fix).toContain('Amazon Route 53 has no ALIAS record')
  })
})
