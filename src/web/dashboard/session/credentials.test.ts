import { expect, test } from 'bun:test'
import { longestEmail, longestPasswordBytes, storedEmail } from '../../../access/owner/rules.ts'
import { emailProblem, passwordProblem } from './credentials.ts'

test('a password that is too long is said to be so in the unit of its limit', () => {
  expect(passwordProblem('x'.repeat(longestPasswordBytes))).toBeUndefined()
  expect(passwordProblem('ü'.repeat(longestPasswordBytes / 2))).toBeUndefined()
  expect(passwordProblem('ü'.repeat(600))).toBe(
    'This is too long: it has 1,200 bytes, and 1,000 fit. A letter such as ü has two or more.',
  )
})

test('an e-mail address is too long when the server does not take it', () => {
  const longest = `${'a'.repeat(longestEmail - '@shop.example'.length)}@shop.example`
  expect([emailProblem(longest), storedEmail(longest)]).toEqual([undefined, longest])
  expect(emailProblem(`a${longest}`)).toBe('This is too long: an e-mail address has at most 254 characters.')
  expect(() => storedEmail(`a${longest}`)).toThrow()
  expect(emailProblem('jo')).toBe('Enter an e-mail address, such as you@example.com.')
})
