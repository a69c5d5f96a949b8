import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { serveConfig } from './config.ts'
import { hostingConfig } from './hosting.ts'
import { commonOptions } from './options.ts'
import { readOptions } from './read.ts'
import { serveOptions } from './serve-options.ts'

const on = ['--platform-domain', 'stores.example']
const parse = (args: readonly string[], variables = {}) =>
  readOptions({ ...commonOptions, ...serveOptions }, args, variables).values
const hosting = (...args: readonly string[]) => hostingConfig(parse([...on, ...args]), 'production')

describe('hosting', () => {
  test('is off without a platform domain, and then its other options are errors', () => {
    expect(hostingConfig({}, 'production')).toBeUndefined()
    expect(hostingConfig({ 'allow-private-addresses': false }, 'production')).toBeUndefined()
    for (const args of [
      ['--http-port', '80'],
      ['--acme-email', 'a@b.example'],
      ['--allow-private-addresses'],
      ['--dns-resolver', '1.1.1.1'],
    ]) {
      expect(() => hostingConfig(parse(args), 'production')).toThrow(
        `${args[0]} needs --platform-domain, which turns hosting on.`,
      )
    }
  })

  test('is off with the platform domain off, whatever else is given', () => {
    expect(hostingConfig(parse(['--platform-domain', 'Off', '--http-port', '80a']), 'production')).toBeUndefined()
  })

  test('below .localhost is over HTTP, on loopback alone, on a port that needs no privilege', () => {
    const local = (environment: 'production' | 'staging', ...args: readonly string[]) =>
      hostingConfig(parse(['--platform-domain', 'shop.localhost', ...args]), environment)
    const expected = { isLocal: true, publicHost: '127.0.0.1', httpPort: 8088, httpsPort: 'off' }
    expect(local('production')).toMatchObject(expected)
    expect(local('staging')).toMatchObject({ ...expected, httpPort: 8089 })
    expect(local('production', '--http-port', '9000')).toMatchObject({ ...expected, httpPort: 9000 })
  })

  test('has defaults for everything else', () => {
    expect(hostingConfig({ 'platform-domain': 'Stores.EXAMPLE.' }, 'production')).toEqual({
      platformDomain: 'stores.example',
      sitesDomain: 'stores.example',
      publicHost: '::',
      httpPort: 80,
      httpsPort: 443,
      isLocal: false,
      publicAddresses: [],
      dnsResolvers: [],
      allowPrivateAddresses: false,
      acmeDirectory: 'https://acme-v02.api.letsencrypt.org/directory',
      acmeEmail: undefined,
      acmeEab: undefined,
      caaIdentities: [],
    })
  })

  test('of staging has its own ports and the staging directory of the certificate authority', () => {
    expect(hostingConfig(parse(on), 'staging')).toMatchObject({
      httpPort: 8082,
      httpsPort: 8443,
      acmeDirectory: 'https://acme-staging-v02.api.letsencrypt.org/directory',
    })
  })

  test('reads every option, lists in all their forms, and paths relative to the current directory', () => {
    const variables = {
      PETSTORE_SITES_DOMAIN: 'sites.example',
      PETSTORE_ACME_EAB_KEY: 'c2VjcmV0',
      PETSTORE_PUBLIC_ADDRESS: '45.9.9.7,2A01:4F8:0::1',
    }
    const args = [...on, '--https-port', 'OFF', '--public-host', '0.0.0.0', '--acme-eab-kid', 'k', '--dns-resolver']
    const rest = ['1.1.1.1', '--dns-resolver', '[::1]:5353', '--caa-identity', 'CA.example,ca2.example']
    expect(hostingConfig(parse([...args, ...rest], variables), 'production')).toMatchObject({
      sitesDomain: 'sites.example',
      publicHost: '0.0.0.0',
      httpsPort: 'off',
      publicAddresses: ['45.9.9.7', '2a01:4f8::1'],
      dnsResolvers: [
        { address: '1.1.1.1', port: 53 },
        { address: '::1', port: 5353 },
      ],
      acmeEab: { kid: 'k', key: 'c2VjcmV0' },
      caaIdentities: ['ca.example', 'ca2.example'],
    })
    expect(hosting('--platform-cert', 'a.pem', '--platform-key', '/b.pem')).toMatchObject({
      platformCert: resolve('a.pem'),
      platformKey: '/b.pem',
    })
  })

  test('rejects wrong values with the name of the option and the rule', () => {
    const wrong: [readonly string[], string][] = [
      [['--platform-domain', 'stores'], '--platform-domain must be a domain name such as stores.example'],
      [['--platform-domain', 'https://a.example'], '--platform-domain must be a domain name'],
      [['--platform-domain', '192.0.2.1'], '--platform-domain must be a domain name'],
      [['--platform-domain', `${'a'.repeat(64)}.example`], '--platform-domain must be a domain name'],
      [['--platform-domain', `${'a.'.repeat(130)}example`], '--platform-domain must be a domain name'],
      [['--sites-domain', 'edge.stores.example'], 'this name belongs to the platform itself'],
      [['--sites-domain', 'x.api.stores.example'], 'this name belongs to the platform itself'],
      [['--platform-domain', 'a.sites.example', '--sites-domain', 'sites.example'], 'a project could have its name'],
      [['--public-host', 'eth0'], '--public-host must be an IP address'],
      [['--http-port', '80a'], '--http-port must be a whole number from 0 to 65535'],
      [['--https-port', '65536'], '--https-port must be a whole number from 0 to 65535'],
      [['--https-port', 'none'], '--https-port must be a whole number from 0 to 65535 or off, not "none".'],
      [['--http-port', '8000', '--https-port', '8000'], '--http-port and --https-port must be different ports.'],
      [['--platform-cert', 'a'], '--platform-cert and --platform-key must be given together.'],
      [['--platform-cert', 'a', '--platform-key', 'b', '--https-port', 'off'], '--platform-cert has no use'],
      [['--public-address', 'example.com'], '--public-address must be an IP address'],
      [['--dns-resolver', 'dns.example'], '--dns-resolver must be an address such as 1.1.1.1'],
      [['--acme-directory', 'http://ca.example/dir'], '--acme-directory must be an https address'],
      [['--acme-email', 'mailto:a'], '--acme-email must be one e-mail address'],
      [['--acme-email', 'jörg@shop.example'], '--acme-email must be one e-mail address'],
      [['--acme-email', '"a b"@shop.example'], '--acme-email must be one e-mail address'],
      [['--acme-eab-kid', 'k'], '--acme-eab-kid and --acme-eab-key must be given together.'],
      [['--caa-identity', 'a b'], '--caa-identity must be a domain name'],
    ]
    for (const [args, message] of wrong) expect(() => hosting(...args)).toThrow(message)
    for (const address of ['192.168.1.5', '127.0.0.1', '169.254.1.1', 'fe80::1', 'fd00::1', '::ffff:45.9.9.9']) {
      const message = '--public-address must be an address that the internet reaches, not'
      expect(() => hosting('--public-address', address)).toThrow(message)
      expect(() => hosting('--public-address', address, '--allow-private-addresses')).not.toThrow()
    }
  })

  test('rejects --https-port off without a trusted proxy, whose requests alone would count as HTTPS', () => {
    const off = [...on, '--https-port', 'off']
    expect(() => serveConfig(parse(off))).toThrow('--https-port off needs --trusted-proxy')
    expect(serveConfig(parse([...off, '--trusted-proxy', '10.0.0.1'])).hosting?.httpsPort).toBe('off')
  })

  test('rejects a malformed secret without repeating it', () => {
    expect(() => hosting('--acme-eab-kid', 'k', '--acme-eab-key', 'se cret')).toThrow(
      /^--acme-eab-key must be in base64url \(RFC 4648\)\.$/,
    )
  })
})

test('the API is at api. of the platform domain unless a base URL is given', () => {
  const urls = (...args: readonly string[]) => {
    const { baseUrl, stagingBaseUrl } = serveConfig(parse(args))
    return [baseUrl, stagingBaseUrl]
  }
  expect(urls()).toEqual([undefined, undefined])
  expect(urls(...on)).toEqual(['https://api.stores.example/v1', undefined])
  expect(urls(...on, '--environment', 'staging')).toEqual([undefined, 'https://api.stores.example/v1'])
  expect(urls(...on, '--base-url', 'https://a.example/v1')).toEqual(['https://a.example/v1', undefined])
})
