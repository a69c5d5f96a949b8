/** The rules of the owner’s e-mail address and password, as the server has them. */

import { formatNumber } from '../ui/format.ts'

/** Why an address cannot be the owner's; undefined if it can. The server has the whole rule (RFC 5321). */
export function emailProblem(email: string): string | undefined {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return 'Enter an e-mail address, such as you@example.com.'
  const [local = ''] = email.split('@')
  if (/[^!-~]/.test(local)) return 'Use an address without accents or umlauts before the @: mail does not reach others.'
  const isLong = local.length > 64 || email.length > 254
  return isLong ? 'This is too long: an e-mail address has at most 254 characters, 64 before the @.' : undefined
}

export const shortestPassword = 10
const longestPasswordBytes = 1_000

/** Why a password cannot be used; undefined if it can. */
export function passwordProblem(password: string): string | undefined {
  if ([...password].length < shortestPassword) {
    return `Use at least ${shortestPassword} characters. A short sentence is good.`
  }
  const bytes = bytesOf(password)
  return bytes > longestPasswordBytes
    ? `This is too long: it has ${formatNumber(bytes)} bytes, and ${formatNumber(longestPasswordBytes)} fit. A letter such as ü has two or more.`
    : undefined
}

/** Whether it is longer than any password can be. */
export function isTooLong(password: string): boolean {
  return bytesOf(password) > longestPasswordBytes
}

const bytesOf = (password: string): number => new TextEncoder().encode(password.normalize('NFC')).length
