import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { commonOptions } from '../config/options.ts'
import { readOptions } from '../config/read.ts'
import { serveOptions } from '../config/serve-options.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { createSettingsStore, savedSettings, startOptions } from './settings.ts'

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

test('the options of hosting are stored, except for secrets, with absolute paths', () => {
  const settings = createSettingsStore(database.tables)
  expect(settings.read()).toEqual({})
  settings.save(given)
  const { data: _, 'acme-eab-kid': _kid, 'acme-eab-key': _key, ...kept } = given
  const paths = { 'platform-cert': resolve('wild.pem'), 'platform-key': resolve('wild.key') }
  expect(settings.read()).toEqual({ ...kept, ...paths })
  settings.save({ ...given, 'platform-domain': 'other.example' })
  expect(settings.read()['platform-domain']).toBe('other.example')
  settings.save({ ...given, 'platform-domain': 'OFF' })
  expect(settings.read()).toEqual({})
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
    for (const [domain, dropped] of [
      ['stores.example', rest],
      ['off', proxied],
    ] as const) {
      const given = { 'platform-domain': domain }
      expect(start('--platform-domain', domain)).toEqual({ values: given, reused: {}, dropped })
    }
  })
})
