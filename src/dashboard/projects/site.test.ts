import { expect, test } from 'bun:test'
import type { Project } from './queries.ts'
import { waitingWords } from './site.ts'

test('a website whose certificate failed is not said to be there in a minute', () => {
  const words = (status: string, liveDeploy: object | null = {}) =>
    waitingWords({ liveDeploy, certificate: { status } } as Project, 'shop.example')
  expect(words('none', null)).toBe('The website will be at shop.example once you publish it.')
  for (const status of ['none', 'queued', 'issuing']) expect(words(status)).toContain('in a minute or two')
  for (const status of ['failed', 'expired']) expect(words(status)).toContain('has no valid certificate')
})
