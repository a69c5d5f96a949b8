import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { commonOptions } from '../config/options.ts'
import { readOptions } from '../config/read.ts'
import { serveOptions } from '../config/serve-options.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { createSettingsStore, hostingOf, savedSettings, startOptions } from './settings.ts'

let database: OpenDatabase
beforeEach(() => {
  database = openDatabase(':memory:', 0)
})
afterEach(() => database.close())

const given = {
  data: '/srv/petstore',
  'platform-domain': 'stores.example',
  'http-port': '8000',
  'dns-resolver': ['192.0.2.53'],
  'platform-cert': 'wild.pem',
  'platform-key': 'wild.key',
  'acme-eab-kid': 'kid',
  'acme-eab-key': 'c2VjcmV0',
}

test('a command has the hosting options of the server, except for secrets', () => {
  const { tables } = database
  expect(hostingOf(tables, {})).toBeUndefined()
  createSettingsStore(tables).save(given)
  expect(hostingOf(tables, {})).toMatchObject({
    platformDomain: 'stores.example',
    httpPort: 8000,
    dnsResolvers: [{ address: '192.0.2.53', port: 53 }],
    platformCert: resolve('wild.pem'),
    acmeEab: undefined,
  })
  expect(JSON.stringify(savedSettings(tables))).not.toMatch(/c2VjcmV0|kid|srv/)
})

test('the options of a command override those of the server one by one', () => {
  const { tables } = database
  createSettingsStore(tables).save(given)
  const own = { 'dns-resolver': ['192.0.2.54'], 'http-port': undefined, environment: 'staging' }
  expect(hostingOf(tables, own)).toMatchObject({
    platformDomain: 'stores.example',
    httpPort: 8000,
    httpsPort: 8443,
    dnsResolvers: [{ address: '192.0.2.54', port: 53 }],
  })
})

test('a command knows no options once the store is served without hosting', () => {
  const { tables } = database
  const settings = createSettingsStore(tables)
  settings.save(given)
  settings.save({ ...given, 'platform-domain': 'other.example' })
  expect(hostingOf(tables, {})?.platformDomain).toBe('other.example')
  expect(hostingOf(tables, { 'platform-domain': 'off' })).toBeUndefined()
  settings.save({ ...given, 'platform-domain': 'OFF' })
  expect(settings.read()).toEqual({})
  expect(hostingOf(tables, {})).toBeUndefined()
  expect(hostingOf(tables, { 'platform-domain': 'a.example' })?.platformDomain).toBe('a.example')
})

describe('the options of a start', () => {
  const proxied = {
    'platform-domain': 'stores.example',
    'http-port': '8000',
    'https-port': 'off',
    'trusted-proxy': ['127.0.0.1'],
  }
  const start = (...args: string[]) => {
    createSettingsStore(database.tables).save(proxied)
    const values = readOptions({ ...commonOptions, ...serveOptions }, args, {}).values
    return startOptions(values, savedSettings(database.tables))
  }

  test('are completed by those of the last start, which hold unless they are given', () => {
    expect(start()).toEqual({ values: proxied, reused: proxied, dropped: {} })
    const { values, reused } = start('--http-port', '8001', '--port', '0')
    expect(values).toEqual({ ...proxied, 'http-port': '8001', port: '0' })
    expect(Object.keys(reused)).toEqual(['platform-domain', 'https-port', 'trusted-proxy'])
  })

  test('trust the proxy of the last start only while it ends TLS', () => {
    expect(start('--https-port', '443').values).not.toHaveProperty('trusted-proxy')
  })

  test('stand alone with a platform domain or without hosting', () => {
    const { 'platform-domain': _, ...rest } = proxied
    for (const domain of ['stores.example', 'off']) {
      const given = { 'platform-domain': domain }
      expect(start('--platform-domain', domain)).toEqual({ values: given, reused: {}, dropped: rest })
    }
  })
})
