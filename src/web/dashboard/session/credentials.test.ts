import { expect, test } from 'bun:test'
import { storedEmail } from '../../../access/owner/email.ts'
import { longestPasswordBytes } from '../../../access/owner/rules.ts'
import { emailProblem, passwordProblem } from './credentials.ts'

test('the message about a long password uses the unit of its limit', () => {
  expect(passwordProblem('x'.repeat(longestPasswordBytes))).toBeUndefined()
  expect(passwordProblem('ü'.repeat(longestPasswordBytes / 2))).toBeUndefined()
  expect(passwordProblem('ü'.repeat(600))).toBe(
    'This is too long: it has 1,200 bytes, and 1,000 fit. A letter such as ü has two or more.',
  )
})

test('the message about an e-mail address that the server rejects says why', () => {
  const longest = `${'a'.repeat(64)}@shop.example`
  expect([emailProblem(longest), storedEmail(longest)]).toEqual([undefined, longest])
  expect([emailProblem('ada@bücher.example'), storedEmail('ada@bücher.example')]).toEqual([
    undefined,
    'ada@bücher.example',
  ])
  for (const [email, problem] of [
    ['jo', 'Enter an e-mail address, such as you@example.com.'],
    ['jörg@shop.example', 'Use an address without accents or umlauts before the @: mail does not reach others.'],
    [`a${longest}`, 'This is too long: an e-mail address has at most 254 characters, 64 before the @.'],
  ] as const) {
    expect([email, emailProblem(email)]).toEqual([email, problem])
    expect(() => storedEmail(email)).toThrow('email must be one e-mail address without a name, such as')
  }
})
