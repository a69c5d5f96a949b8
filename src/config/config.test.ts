import { expect, test } from 'bun:test'
import { serveConfig } from './config.ts'

test('--host is an address in any spelling, or a host name', () => {
  const hosts: Readonly<Record<string, string>> = {
    '127.0.0.1': '127.0.0.1',
    '127.1': '127.0.0.1',
    '0': '0.0.0.0',
    '::': '::',
    '[::]': '::',
    '0:0:0:0:0:0:0:0': '::',
    '[::1]': '::1',
    '2001:DB8::7': '2001:db8::7',
    'Shop.local': 'shop.local',
  }
  for (const [given, host] of Object.entries(hosts))
    expect([given, serveConfig({ host: given }).host]).toEqual([given, host])
  for (const host of [
    '*',
    ' ',
    '[::1',
    '[::1]:80',
    'fe80::1%lo',
    '127.0.0.1:80',
    'localhost:80',
    'http://a.example',
    'a/b',
    'a@b',
    '1.2.3.256',
  ]) {
    expect(() => serveConfig({ host })).toThrow(
      `--host must be an address such as 127.0.0.1 or ::1, or a host name, not "${host}".`,
    )
  }
})
