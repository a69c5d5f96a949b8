import { expect, test } from 'bun:test'
import { accessOf } from './words.ts'

test('the words for a key separate what it may change from what it may only see', () => {
  expect(accessOf(['pets:read', 'orders:read', 'webhooks:read', 'webhooks:write'])).toBe(
    'Change webhooks of its account; see animals, orders of its account',
  )
  expect(accessOf(['pets:read', 'orders:manage'])).toBe('Change all orders; see animals')
  expect(accessOf(['pets:write', 'projects:write'])).toBe('Change animals, websites of its account')
  expect(accessOf(['orders:read', 'projects:read'])).toBe('See orders of its account, websites of its account')
  expect(accessOf(['metrics:read'])).toBe('See metrics of the service')
  expect(accessOf(['webhooks:read', 'admin'])).toBe('Everything that you can do')
})
