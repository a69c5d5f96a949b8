/** The rules of the owner's e-mail address, as the server has them. */

const longestEmail = 254

/** Why an address cannot be the owner's; undefined if it can. */
export function emailProblem(email: string): string | undefined {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return 'Enter an e-mail address, such as you@example.com.'
  const { length } = [...email.normalize('NFC')]
  return length > longestEmail
    ? `This is too long: an e-mail address has at most ${longestEmail} characters.`
    : undefined
}
