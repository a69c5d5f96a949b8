/** The metrics of certificates. */

import type { Certificates } from '../../hosting/certificates/create.ts'
import { counter, gauge, type Metric } from './exposition.ts'

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
