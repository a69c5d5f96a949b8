import { expect, test } from 'bun:test'
import { reasonOf } from './exchange.ts'

test('an unreachable host has refused the query; only an unreachable network means that there is no route', () => {
  const reason = (code: string) => reasonOf(Object.assign(new Error(code), { code }))
  expect(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH'].map(reason)).toEqual(['refused', 'refused', 'refused'])
  expect(['ENETUNREACH', 'EAFNOSUPPORT', 'EADDRNOTAVAIL'].map(reason)).toEqual(['no_route', 'no_route', 'no_route'])
})
