/** Normalises a name to A-labels, and checks whether it can be the domain of a project, before any query is sent. */

import { domainToASCII, domainToUnicode } from 'node:url'
import { parse } from 'tldts'

export interface CheckedName {
  /** A-labels, lower case, without the final dot. */
  readonly hostname: string
  /** The hostname in Unicode, for people. */
  readonly unicodeHostname: string
  /** The suffix below which a registry sells names (`com`, `co.uk`), by the ICANN section of the Public Suffix List. */
  readonly publicSuffix: string
  /** The registered domain: the public suffix and one more label. */
  readonly registrableDomain: string
}

export type NameFaultCode = 'invalid_hostname' | 'is_public_suffix' | 'platform_domain' | 'wildcard_unsupported'

export interface NameFault {
  readonly code: NameFaultCode
  /** Why the name is invalid. */
  readonly message: string
  readonly fix: string
}

/** Top-level domains outside of the public DNS (RFC 6761, RFC 6762, RFC 7686, RFC 8375): no CA issues for them. */
const unresolvable = new Set(['localhost', 'local', 'invalid', 'onion', 'alt', 'arpa'])

export function checkName(input: string, platformDomains: readonly string[] = []): CheckedName | NameFault {
  const trimmed = input.trim().replace(/\.$/, '')
  if (trimmed.startsWith('*.')) return wildcard(trimmed)
  const typed = typedFault(trimmed)
  if (typed !== undefined) return invalid(input, typed)
  // UTS 46; the empty string if a label is not valid.
  const hostname = domainToASCII(trimmed).toLowerCase()
  if (hostname === '' && /\.\d+$/.test(trimmed)) return invalid(input, 'ends in a number, as no domain name does')
  const broken = hostnameFault(hostname)
  if (broken !== undefined) return invalid(input, broken)
  const { publicSuffix, domain } = parse(hostname, { allowPrivateDomains: false, extractHostname: false })
  const platform = platformDomains.find((name) => hostname === name || hostname.endsWith(`.${name}`))
  if (platform !== undefined) return platformFault(hostname, platform)
  if (publicSuffix === hostname) return suffixFault(hostname)
  if (!publicSuffix || !domain) return invalid(input, 'has no registrable domain')
  return { hostname, unicodeHostname: domainToUnicode(hostname), publicSuffix, registrableDomain: domain }
}

/** The fault of input that `domainToASCII` would repair silently, or that is not a name: an address, a URL, a port. */
function typedFault(text: string): string | undefined {
  if (text === '') return 'is empty'
  if (text.length > 1_000) return 'is longer than 253 characters'
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'is a web address, not a name: leave out http:// and the path'
  if (/^[^\s/?#@]+@[^\s/?#@]+$/.test(text)) return 'is an e-mail address, not a name'
  if (/[/?#@\\]/.test(text)) return 'has a character that is not allowed in a name'
  if (/^\[|^[0-9a-f]*:[0-9a-f:.]*$/i.test(text)) return 'is an IP address, not a name'
  if (/:\d*$/.test(text)) return 'has a port: leave it out'
  if (/[\s%:*]|\p{Cc}/u.test(text)) return 'has a character that is not allowed in a name'
  // Normalisation removes soft hyphens, joiners and the like: another name than the typed one would be checked.
  if (/\p{Cf}/u.test(text) && !/[\u200c\u200d]/.test(text)) return 'has an invisible character'
  return undefined
}

/** The fault of a hostname by RFC 952 and RFC 1123: letters, digits and hyphens. `domainToASCII` accepts more. */
function hostnameFault(hostname: string): string | undefined {
  if (hostname === '') return 'is not a valid internationalised name'
  if (hostname.length > 253) return 'is longer than 253 characters'
  const labels = hostname.split('.')
  if (labels.includes('')) return 'has an empty label (two dots in a row, or one in front)'
  if (labels.some((label) => label.length > 63)) return 'has a label of more than 63 characters'
  if (labels.some((label) => !/^[a-z0-9-]+$/.test(label)))
    return 'has a character other than letters, digits and hyphens'
  if (labels.some((label) => /^-|-$/.test(label))) return 'has a label that begins or ends with a hyphen'
  if (labels.some((label) => /^(?!xn)..--/.test(label))) return 'has a label with hyphens in third and fourth place'
  const last = labels.at(-1) ?? ''
  if (/^(\d+|0x[0-9a-f]*)$/.test(last)) return 'is an IP address, not a name'
  // A label without a Unicode form is not an A-label (RFC 5891, section 4.2).
  if (labels.some((label) => label.startsWith('xn--') && !isALabel(label)))
    return 'has a label that is not valid Punycode'
  if (unresolvable.has(last)) return `ends in .${last}, which is not part of the public DNS`
  if (labels.length === 1 && !parse(`x.${hostname}`).isIcann)
    return 'has only one label: a domain such as shop.example is needed'
  return undefined
}

function isALabel(label: string): boolean {
  const unicode = domainToUnicode(label)
  return unicode !== '' && unicode !== label && domainToASCII(unicode) === label
}

function invalid(input: string, why: string): NameFault {
  const shown = input.length > 80 ? `${input.slice(0, 80)}…` : input
  return {
    code: 'invalid_hostname',
    message: `"${shown}" ${why}.`,
    fix: 'Enter the bare name that visitors will type, such as www.shop.example.',
  }
}

function wildcard(input: string): NameFault {
  return {
    code: 'wildcard_unsupported',
    message: `"${input.slice(0, 80)}" is a wildcard. A domain is one name.`,
    fix: 'Add each name separately, for example www.shop.example and shop.example.',
  }
}

function suffixFault(hostname: string): NameFault {
  return {
    code: 'is_public_suffix',
    message: `${hostname} is a public suffix: a registry sells names below it, and nobody can point it at a shop.`,
    fix: `Enter the domain that you registered, such as shop.${hostname}.`,
  }
}

function platformFault(hostname: string, platform: string): NameFault {
  return {
    code: 'platform_domain',
    message: `${hostname} belongs to this service's own domain ${platform}.`,
    fix: 'Every project already has its address there. Enter a domain of your own.',
  }
}

export function isFault(name: CheckedName | NameFault): name is NameFault {
  return 'code' in name
}
