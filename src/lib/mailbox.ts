/** Addresses of mailboxes (RFC 5321 section 4.1.2), with the letters of every script (RFC 6531 section 3.3). */

const atom = String.raw`[A-Za-z0-9!#$%&'*+/=?^_\u0060{|}~\u00a1-\u{10ffff}-]+`
const label = String.raw`[A-Za-z0-9\u00a1-\u{10ffff}](?:[A-Za-z0-9\u00a1-\u{10ffff}-]*[A-Za-z0-9\u00a1-\u{10ffff}])?`
const expression = new RegExp(String.raw`^(${atom}(?:\.${atom})*)@(${label}(?:\.${label})*)$`, 'u')

const longestLocalPart = 64
const longestMailbox = 254

/**
 * Whether a text is the address of exactly one mailbox, without a display name. A local part in quotes and an address literal are
 * none: libraries read commas and angle brackets in them differently.
 */
export function isMailbox(text: string): boolean {
  const [, local] = expression.exec(text) ?? []
  if (local === undefined || /[\s\p{C}]/u.test(text)) return false
  return Buffer.byteLength(local) <= longestLocalPart && Buffer.byteLength(text) <= longestMailbox
}
