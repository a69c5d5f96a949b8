/** The metrics of certificates. */

import type { Certificates } from '../../hosting/certificates/create.ts'
import type { Metric } from './exposition.ts'

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
    {
      type: 'counter',
      name: 'petstore_certificate_orders_total',
      help: 'Attempts to get a certificate, by outcome.',
      samples: Object.entries(certificates.outcomes).map(([outcome, count]) => [{ outcome }, count]),
    },
    {
      type: 'gauge',
      name: 'petstore_certificates',
      help: 'Names that want a certificate: with a valid one, with an expired one, or without one.',
      samples: [
        [{ state: 'valid' }, valid],
        [{ state: 'expired' }, installed - valid],
        [{ state: 'missing' }, wanted - installed],
      ],
    },
    {
      type: 'gauge',
      name: 'petstore_certificates_failing',
      help: 'Names whose last attempt to get a certificate failed.',
      samples: [[{}, failing]],
    },
    {
      type: 'gauge',
      name: 'petstore_certificate_days_left',
      help: `Days until a certificate expires, of the ${maximumNamed} that expire first.`,
      samples: first.map(({ labels, notAfter }) => [labels, (notAfter - nowMs) / dayMs]),
    },
    {
      type: 'gauge',
      name: 'petstore_certificate_renewal_time_seconds',
      help: 'When a certificate will be renewed, as a Unix time, of the same certificates.',
      samples: first.map(({ labels, renewAt }) => [labels, renewAt / 1000]),
    },
    {
      type: 'gauge',
      name: 'petstore_clock_wrong_seconds',
      help: "By how much this machine's clock is ahead of the certificate authority's; 0 unless it is more than an hour off.",
      samples: [[{}, (certificates.clockWrongByMs() ?? 0) / 1000]],
    },
  ]
}
