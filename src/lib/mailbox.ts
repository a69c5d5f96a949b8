/** Addresses of mailboxes (RFC 5321 section 4.1.2). Their domains may have the letters of every script (RFC 5891). */

import { domainToASCII } from 'node:url'

const atom = String.raw`[A-Za-z0-9!#$%&'*+/=?^_\u0060{|}~-]+`
const label = String.raw`[A-Za-z0-9\u00a1-\u{10ffff}](?:[A-Za-z0-9\u00a1-\u{10ffff}-]*[A-Za-z0-9\u00a1-\u{10ffff}])?`
const expression = new RegExp(String.raw`^(${atom}(?:\.${atom})*)@(${label}(?:\.${label})*)$`, 'u')

const longestLocalPart = 64
const longestMailbox = 254

/** What `isMailbox` demands, as text that follows the name of an option or field. */
export const mailboxRule =
  'must be one e-mail address without a name, such as store@shop.example; before the @ it has ASCII characters alone (RFC 5321)'

/**
 * Whether a text is the address of exactly one mailbox, without a display name. A local part in quotes and an address
 * literal are none: libraries read commas and angle brackets in them differently. Neither is a local part that is not
 * ASCII (RFC 6531): few servers accept it.
 */
export function isMailbox(text: string): boolean {
  const [, local, domain = ''] = expression.exec(text) ?? []
  if (local === undefined || /[\s\p{C}]/u.test(text) || domainToASCII(domain) === '') return false
  return local.length <= longestLocalPart && asciiMailbox(text).length <= longestMailbox
}

/** A mailbox with its domain in Punycode (RFC 3492), as every mail server and certificate authority reads it. */
export function asciiMailbox(mailbox: string): string {
  const [local = '', domain = ''] = mailbox.split('@')
  return `${local}@${domainToASCII(domain)}`
}
