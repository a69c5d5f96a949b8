import { expect, test } from 'bun:test'
import { serveConfig } from '../../config/config.ts'
import { dashboardUrlOf, setupLines, setupWays } from './setup-link.ts'

const listener = { url: 'http://127.0.0.1:8080', port: 8080 }

test('the dashboard is at the address of the API, which a platform domain has over HTTPS', () => {
  const urlOf = (values: Record<string, string>) => dashboardUrlOf(serveConfig(values), listener)
  expect(urlOf({})).toBe('http://127.0.0.1:8080/dashboard')
  expect(urlOf({ 'base-url': 'https://shop.example/v1' })).toBe('https://shop.example/dashboard')
  expect(urlOf({ 'platform-domain': 'shops.example' })).toBe('https://api.shops.example/dashboard')
  const staging = { environment: 'staging', 'base-url': 'https://shop.example/v1' }
  expect(urlOf(staging)).toBe('http://127.0.0.1:8080/dashboard')
})

test('a listener on all addresses is at one of this machine that others can reach, where there is one', () => {
  for (const host of ['0.0.0.0', '::']) {
    const url = dashboardUrlOf(serveConfig({ host }), { ...listener, url: 'http://localhost:8080' })
    expect(url).toMatch(/^http:\/\/(localhost|10\.|172\.|192\.168\.)[0-9.]*:8080\/dashboard$/)
  }
})

test('a link to this machine comes with the SSH tunnel that reaches it from another computer', () => {
  const text = setupLines(setupWays('http://127.0.0.1:8080/dashboard', 'T', listener.url)).join('\n')
  expect(text).toContain('  http://127.0.0.1:8080/dashboard/setup#token=T\n')
  expect(text).toMatch(/\n {2}ssh -L 8080:127\.0\.0\.1:8080 USER@/)
})

test('the tunnel to a port that needs a privilege has another port at its other end, with its own link', () => {
  const text = setupLines(setupWays('http://127.0.0.1/dashboard', 'T', 'http://127.0.0.1:80')).join('\n')
  expect(text).toContain('  http://127.0.0.1/dashboard/setup#token=T\n')
  expect(text).toMatch(/\n {2}ssh -L 8080:127\.0\.0\.1:80 USER@/)
  expect(text).toContain('  http://127.0.0.1:8080/dashboard/setup#token=T\n')
})

test('a link over HTTPS comes with one that works before there are DNS records and a certificate', () => {
  const text = setupLines(setupWays('https://api.shops.example/dashboard', 'T', listener.url)).join('\n')
  expect(text).toContain('  https://api.shops.example/dashboard/setup#token=T\n')
  expect(text).toContain('  http://127.0.0.1:8080/dashboard/setup#token=T\n')
  expect(text).toContain('ssh -L 8080:127.0.0.1:8080')
  expect(setupLines(setupWays('https://api.shops.example/dashboard', 'T')).join('\n')).not.toContain('ssh')
})

test('a link that others on the network can open needs no tunnel', () => {
  expect(
    setupLines(setupWays('http://192.168.1.5:8080/dashboard', 'T', 'http://localhost:8080')).join('\n'),
  ).not.toContain('ssh')
})
