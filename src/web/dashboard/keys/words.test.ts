import { expect, test } from 'bun:test'
import { accessOf } from './words.ts'

test('the words for a key tell what it may change from what it may only see', () => {
  expect(accessOf(['pets:read', 'orders:read', 'webhooks:read', 'webhooks:write'])).toBe(
    'Change webhooks of its account; only look at animals, orders of its account',
  )
  expect(accessOf(['pets:read', 'orders:manage'])).toBe('Change all orders; only look at animals')
  expect(accessOf(['pets:write', 'projects:write'])).toBe('Change animals, websites of its account')
  expect(accessOf(['orders:read', 'projects:read'])).toBe('Only look at orders of its account, websites of its account')
  expect(accessOf(['metrics:read'])).toBe('Only look at metrics of the service')
  expect(accessOf(['webhooks:read', 'admin'])).toBe('Everything, like you')
})
