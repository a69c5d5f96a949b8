/** The state of a domain: two stored axes, the DNS and the certificate, and the one state that follows from them. */

import type { CertificateStatus } from '../projects/view.ts'

export const dnsStatuses = ['pending', 'verified', 'failed', 'drifted'] as const
export type DnsStatus = (typeof dnsStatuses)[number]

/**
 * Why a check failed: the name has no record yet, only the proof by TXT is missing, or a record is wrong.
 */
export const failureKinds = ['missing', 'ownership', 'wrong'] as const
export type FailureKind = (typeof failureKinds)[number]

export const noCertificate: CertificateStatus = {
  status: 'none',
  expiresAt: null,
  nextAttemptAt: null,
  rateLimitedUntil: null,
  error: null,
}

export const domainStates = [
  'pending_dns',
  'pending_ownership',
  'dns_error',
  'issuing',
  'active',
  'cert_error',
  'degraded',
] as const
export type DomainState = (typeof domainStates)[number]

/** The facts about the DNS of a domain on which its state depends. */
export interface DnsFacts {
  readonly dnsStatus: DnsStatus
  readonly failure: FailureKind | null
  readonly isDegraded: boolean
  /** Null if the service no longer checks it without a request. */
  readonly nextCheckAt: number | null
}

/** Whether a certificate is valid at that time, even if its renewal has failed. */
export function isValid({ status, expiresAt }: CertificateStatus, nowMs: number): boolean {
  return expiresAt !== null && expiresAt > nowMs && status !== 'none' && status !== 'expired'
}

/**
 * The state of a domain. `certificate` is undefined where a proxy ends TLS: a verified domain is then active without
 * one.
 */
export function stateOf(dns: DnsFacts, certificate: CertificateStatus | undefined, nowMs: number): DomainState {
  if (dns.dnsStatus === 'pending') return 'pending_dns'
  if (dns.dnsStatus === 'failed') return failedState(dns)
  const works = certificate === undefined || isValid(certificate, nowMs)
  if (!works && (certificate.status === 'expired' || certificate.status === 'failed')) return 'cert_error'
  if (dns.isDegraded) return 'degraded'
  if (works) return 'active'
  // A certificate whose time has passed unnoticed has expired.
  return certificate.expiresAt !== null && certificate.expiresAt <= nowMs ? 'cert_error' : 'issuing'
}

function failedState({ failure, nextCheckAt }: DnsFacts): DomainState {
  if (nextCheckAt === null) return 'dns_error'
  if (failure === 'ownership') return 'pending_ownership'
  return failure === 'missing' ? 'pending_dns' : 'dns_error'
}
