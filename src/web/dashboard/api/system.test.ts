import { expect, test } from 'bun:test'
import { programAddress } from './system.ts'

const page = 'http://192.168.1.5:8080'

test('programs get the address of the service, whatever address the page was opened at', () => {
  expect(programAddress('https://api.shop.example', page)).toBe('https://api.shop.example')
  expect(programAddress('http://10.0.0.5:8080', page)).toBe('http://10.0.0.5:8080')
})

test('programs get the address of the page where that of the service is unknown or leads to its own machine alone', () => {
  for (const address of [null, undefined, 'http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
    expect(programAddress(address, page)).toBe(page)
  }
})
