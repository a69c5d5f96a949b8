import { expect, test } from 'bun:test'
import type { Project } from './queries.ts'
import { firstSiteOf, liveStateOf, waitingWords } from './site.tsx'

test('a website whose certificate failed is not said to be there in a minute', () => {
  const words = (status: string, liveDeploy: object | null = {}) =>
    waitingWords({ liveDeploy, certificate: { status } } as Project, 'shop.example')
  expect(words('none', null)).toBe('The website will be at shop.example once you publish it.')
  const shop = { liveDeploy: null, hasWebshop: true, certificate: { status: 'issuing' } } as Project
  expect(waitingWords(shop, 'shop.example')).toContain('in a minute or two')
  for (const status of ['none', 'queued', 'issuing']) expect(words(status)).toContain('in a minute or two')
  for (const status of ['failed', 'expired']) expect(words(status)).toContain('has no valid certificate')
})

test('a website is live once browsers can open it', () => {
  const state = (change: object) =>
    liveStateOf(firstSiteOf({ url: 'https://kiosk.shop.example', liveDeploy: {}, ...change } as Project))[0]
  expect(state({ certificate: null })).toBe('Live')
  expect(state({ certificate: { status: 'active', expiresAt: '2999-01-01T00:00:00Z' } })).toBe('Live')
  expect(state({ certificate: { status: 'issuing', expiresAt: null } })).toBe('No certificate')
  expect(state({ certificate: { status: 'expired', expiresAt: '2026-01-01T00:00:00Z' } })).toBe('No certificate')
  expect(state({ url: null, certificate: null })).toBe('Offline')
})
