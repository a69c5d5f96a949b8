/** The metrics of hosting: custom domains with their checks, and certificates. */

import type { Certificates } from '../../hosting/certificates/create.ts'
import { dnsStatuses } from '../../hosting/domains/state.ts'
import { counter, gauge, type Metric } from './exposition.ts'

export interface DomainFacts {
  readonly domains: { countsByStatus(): readonly { readonly status: string; readonly count: number }[] }
  /** Undefined while hosting is off. */
  readonly checks: { readonly counts: Readonly<Record<string, number>>; readonly inProgress: () => number } | undefined
}

/** Reads the database: throws if the storage has a fault. */
export function domainMetrics({ domains, checks }: DomainFacts): Metric[] {
  if (!checks) return []
  const found = new Map(domains.countsByStatus().map(({ status, count }) => [status, count]))
  return [
    gauge(
      'petstore_domains',
      'Domains of projects by the status of their DNS.',
      dnsStatuses.map((status) => [{ status }, found.get(status) ?? 0]),
    ),
    counter(
      'petstore_domain_checks_total',
      'Checks of domains by outcome: proven, failed, unknown (the servers did not respond), taken (another project has the name), gone (removed meanwhile).',
      Object.entries(checks.counts).map(([outcome, count]) => [{ outcome }, count]),
    ),
    gauge('petstore_domain_checks_in_progress', 'Checks of domains that are running or waiting.', [
      [{}, checks.inProgress()],
    ]),
  ]
}

export type CertificateFacts = Pick<Certificates, 'counts' | 'expiringFirst' | 'outcomes' | 'clockWrongByMs'>

/** At most so many certificates have series of their own: those that expire first. */
const maximumNamed = 200
const dayMs = 86_400_000

/** `nowMs` is Unix milliseconds. */
export function certificateMetrics(certificates: CertificateFacts, nowMs: number): Metric[] {
  const { wanted, installed, valid, failing } = certificates.counts(nowMs)
  const first = certificates.expiringFirst(maximumNamed).map(({ hostname, kind, notAfter, renewAt }) => {
    return { labels: { hostname, kind }, notAfter: notAfter ?? 0, renewAt: renewAt ?? notAfter ?? 0 }
  })
  return [
    counter(
      'petstore_certificate_orders_total',
      'Attempts to get a certificate, by outcome.',
      Object.entries(certificates.outcomes).map(([outcome, count]) => [{ outcome }, count]),
    ),
    gauge(
      'petstore_certificates',
      'Names that want a certificate: with a valid one, with an expired one, or without one.',
      [
        [{ state: 'valid' }, valid],
        [{ state: 'expired' }, installed - valid],
        [{ state: 'missing' }, wanted - installed],
      ],
    ),
    gauge('petstore_certificates_failing', 'Names whose last attempt to get a certificate failed.', [[{}, failing]]),
    gauge(
      'petstore_certificate_days_left',
      `Days until a certificate expires, of the ${maximumNamed} that expire first.`,
      first.map(({ labels, notAfter }) => [labels, (notAfter - nowMs) / dayMs]),
    ),
    gauge(
      'petstore_certificate_renewal_time_seconds',
      'When a certificate will be renewed, as a Unix time, of the same certificates.',
      first.map(({ labels, renewAt }) => [labels, renewAt / 1000]),
    ),
    gauge(
      'petstore_clock_wrong_seconds',
      "By how much this machine's clock is ahead of the certificate authority's; 0 unless it is more than an hour off.",
      [[{}, (certificates.clockWrongByMs() ?? 0) / 1000]],
    ),
  ]
}
