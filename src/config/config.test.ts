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
    '8080',
  ]) {
    expect(() => serveConfig({ host })).toThrow(
      `--host must be an address such as 127.0.0.1 or ::1, or a host name, not "${host}".`,
    )
  }
})

test('--base-url and --staging-base-url are addresses that end in /v1, in the spelling of URLs', () => {
  const urls: Readonly<Record<string, string>> = {
    'https://shop.example/v1': 'https://shop.example/v1',
    ' HTTP://Shop.example:80/a b/v1\n': 'http://shop.example/a%20b/v1',
    'https:shop.example:8443/v1': 'https://shop.example:8443/v1',
  }
  for (const option of ['base-url', 'staging-base-url']) {
    for (const [given, url] of Object.entries(urls)) {
      const { baseUrl, stagingBaseUrl } = serveConfig({ [option]: given })
      expect([given, baseUrl ?? stagingBaseUrl]).toEqual([given, url])
    }
    for (const given of [
      'https://shop.example/v1?',
      'https://shop.example/v1#',
      'https://shop.example/?/v1',
      'https://shop.example/v1/',
      'https://user:secret@shop.example/v1',
      'https://user@shop.example/v1',
      'https://shop.example/{a}/v1',
      'https://{a}.example/v1',
      'ftp://shop.example/v1',
      'shop.example/v1',
    ]) {
      const rule = `--${option} must be an http or https address that ends in /v1, without a user name, query or braces, not "${given}".`
      expect(() => serveConfig({ [option]: given })).toThrow(rule)
    }
  }
})

test('--cors-origin is one origin, or * for every origin', () => {
  const origins = ['*', 'https://shop.example', 'http://localhost:3000']
  expect(serveConfig({ 'cors-origin': origins }).corsOrigins).toEqual(origins)
  for (const origin of ['https://*.shop.example', 'https://shop.example/', 'shop.example', 'null']) {
    expect(() => serveConfig({ 'cors-origin': [origin] })).toThrow(
      `--cors-origin must be * or an origin such as https://shop.example, not "${origin}".`,
    )
  }
})
