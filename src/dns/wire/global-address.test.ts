import { describe, expect, test } from 'bun:test'
import { reservedUse } from './global-address.ts'

describe('an address', () => {
  test('in a block of the IANA special-purpose registries is not globally reachable, from the first to the last', () => {
    const reserved = [
      '0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255',
      '169.254.0.0 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.1 192.88.99.1 192.168.0.1',
      '192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.255 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255',
      ':: ::1 ::7f00:1 ::ffff:8.8.8.8 ::ffff:10.0.0.1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:10::1',
      '2001:db8::1 2002:808:808::1 3fff::1 3fff:fff:ffff::1 5f00::1 fc00::1 fdff:ffff::1 fe80::1 febf::1 fec0::1 ff02::1',
      '4000::1 1fff::1',
    ]
    for (const address of reserved.join(' ').split(' ')) {
      expect([address, reservedUse(address)]).toEqual([address, expect.any(String)])
    }
  })

  test('of any other block is globally reachable, and so are the exceptions of the registries', () => {
    const reachable = [
      '1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 128.0.0.1 172.15.255.255 172.32.0.0 192.0.1.1 192.0.0.9',
      '192.0.0.10 192.167.255.255 198.17.255.255 198.20.0.0 223.255.255.255 192.31.196.1 192.175.48.1',
      '2000::1 2001:1::1 2001:1::2 2001:3::1 2001:4:112::1 2001:20::1 2001:30::1 2001:200::1 2003::1 2606:4700::1111 3ffe::1',
    ]
    for (const address of reachable.join(' ').split(' '))
      expect([address, reservedUse(address)]).toEqual([address, undefined])
  })

  test('with a zone, or in an invalid form, is not reachable', () => {
    for (const text of ['', 'localhost', '1.2.3', 'fe80::1%eth0']) expect(reservedUse(text)).toEqual(expect.any(String))
  })
})
