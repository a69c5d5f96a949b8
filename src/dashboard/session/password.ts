/** The rules of the owner's password, as the server has them. */

export const shortestPassword = 10
const longestPasswordBytes = 1_000

/** Why a password cannot be used; undefined if it can. */
export function passwordProblem(password: string): string | undefined {
  if ([...password].length < shortestPassword) {
    return `Use at least ${shortestPassword} characters. A short sentence is good.`
  }
  return isTooLong(password) ? 'This is too long. Use at most 1,000 letters.' : undefined
}

/** Whether it is longer than any password can be. */
export function isTooLong(password: string): boolean {
  return new TextEncoder().encode(password.normalize('NFC')).length > longestPasswordBytes
}
