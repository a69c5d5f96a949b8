/** Random secrets for cookies, set-up links and bearer tokens. Only their SHA-256 is stored or kept in memory. */

const secretBytes = 32

/** 256 random bits in base64url. */
export function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(secretBytes))).toString('base64url')
}

/** Whether a text has the form of a secret; another text needs no query. */
export function isSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}
