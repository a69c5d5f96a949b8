/** Slugs: the labels that projects may have, and those that are made from a name. */

import { latinLetters, replacementsOf } from '../../lib/text.ts'

/**
 * Labels that no project gets. Programs look for some of them automatically (RFC 2142, RFC 8461, autodiscovery of mail
 * and proxies), the service needs others, and people trust the rest as pages of the operator.
 */
export const reservedSlugs: ReadonlySet<string> = new Set(
  [
    'www www1 www2 api apis edge mail mail1 mail2 email webmail mx mx1 mx2 smtp imap pop pop3 ftp sftp ssh',
    'wpad isatap autodiscover autoconfig mta-sts localhost local localdomain broadcasthost invalid test example',
    'ns ns0 ns1 ns2 ns3 ns4 dns dns1 dns2 ntp whois acme acme-challenge caa spf dkim dmarc bimi openpgpkey',
    'admin administrator root owner sysadmin hostmaster postmaster webmaster abuse security noc support help info',
    'app apps account accounts auth login logout signin signup sso oauth oidc id identity password secure verify',
    'billing pay payment payments checkout invoice status docs doc documentation dashboard console panel cpanel portal',
    'staging production dev demo preview internal intranet private vpn proxy gateway metrics monitoring health',
    'static assets asset cdn media img images files uploads download downloads petstore official',
    'sites projects deploy deploys domain domains certificate certificates cert ssl tls',
  ].flatMap((line) => line.split(' ')),
)

/** One DNS label of letters, digits and hyphens, in lower case (RFC 1123 section 2.1). */
export const slugPattern = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'
const slugExpression = new RegExp(slugPattern)

/**
 * Whether a project may have this slug: a DNS label that is not reserved and has no hyphens in the third and fourth
 * place, which mark encoded labels such as `xn--…` (RFC 5891 section 4.2.3.1).
 */
export function isSlug(text: string): boolean {
  return slugExpression.test(text) && text.slice(2, 4) !== '--' && !reservedSlugs.has(text)
}

/** Leaves room for a suffix, and keeps slugs readable. */
const maximumBaseLength = 40
const lastNumber = 9

/**
 * The slugs for a project of that name, the best one first: the name itself, then numbered, then without end with what
 * `suffix` returns, which is one to 20 lower-case letters and digits. All of them are slugs by `isSlug`.
 */
export function* slugsFor(name: string, suffix: () => string): Generator<string, never> {
  const base = latinSlug(name) || 'project'
  if (isSlug(base)) yield base
  for (let number = 2; number <= lastNumber; number++) yield `${base}-${number}`
  for (;;) yield `${base}-${suffix()}`
}

/** The words of a name that fit, in ASCII and joined by single hyphens; empty for a name without any. */
export function latinSlug(name: string): string {
  const words =
    asciiOf(name)
      .replaceAll("'", '')
      .match(/[a-z0-9]+/g) ?? []
  let base = (words[0] ?? '').slice(0, maximumBaseLength)
  for (const word of words.slice(1)) {
    if (base.length + 1 + word.length > maximumBaseLength) break
    base += `-${word}`
  }
  return base
}

/**
 * Pairs of a character and its replacement; characters that Unicode decomposes into a letter and marks are not among
 * them.
 */
const pairs = [
  `ß ss ƒ f ə e ${latinLetters}`,
  // Greek
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o',
  // Cyrillic, without the marks of й, ё and ї
  'а a б b в v г g д d е e ж zh з z и i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ы y э e ю yu я ya',
  'є ye і i ґ g ђ dj ј j љ lj њ nj ћ c џ dz ѕ dz',
  // Apostrophes
  "’ ' ‘ ' ʼ ' ′ '",
]

const replacements = replacementsOf(pairs.join(' '))

/** `text` in lower-case ASCII, without accents; a space stands for each character that has no counterpart. */
function asciiOf(text: string): string {
  // Decomposition can give capital letters (ℌ), and lower case can give marks (İ).
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}|[ъь]/gu, '')
  return letters.replace(/\P{ASCII}/gu, (character) => replacements.get(character) ?? ' ')
}
