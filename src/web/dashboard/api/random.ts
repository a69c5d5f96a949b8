/** Random identifiers. `crypto.randomUUID` is missing on pages that are served without HTTPS on a network. */

/** 128 random bits in hexadecimal digits. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
