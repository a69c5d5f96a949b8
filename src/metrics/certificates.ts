/** The metrics of certificates. */

import type { Certificates } from '../certificates/create.ts'
import type { Metric } from './exposition.ts'

export type CertificateFacts = Pick<Certificates, 'rows' | 'outcomes' | 'clockWrongByMs'>

/** At most so many certificates have series of their own: those that expire first. */
const maximumNamed = 200
const dayMs = 86_400_000

/** `nowMs` is Unix milliseconds. */
export function certificateMetrics(certificates: CertificateFacts, nowMs: number): Metric[] {
  const rows = certificates.rows()
  const installed = rows
    .flatMap(({ hostname, kind, notAfter, renewAt, file }) =>
      file === null || notAfter === null ? [] : [{ hostname, kind, notAfter, renewAt: renewAt ?? notAfter }],
    )
    .sort((a, b) => a.notAfter - b.notAfter)
    .slice(0, maximumNamed)
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
        [{ state: 'valid' }, rows.filter((row) => row.file !== null && (row.notAfter ?? 0) > nowMs).length],
        [{ state: 'expired' }, rows.filter((row) => row.file !== null && (row.notAfter ?? 0) <= nowMs).length],
        [{ state: 'missing' }, rows.filter((row) => row.file === null).length],
      ],
    },
    {
      type: 'gauge',
      name: 'petstore_certificates_failing',
      help: 'Names whose last attempt to get a certificate failed.',
      samples: [[{}, rows.filter(({ failures }) => failures > 0).length]],
    },
    {
      type: 'gauge',
      name: 'petstore_certificate_days_left',
      help: `Days until a certificate expires, of the ${maximumNamed} that expire first.`,
      samples: installed.map(({ hostname, kind, notAfter }) => [{ hostname, kind }, (notAfter - nowMs) / dayMs]),
    },
    {
      type: 'gauge',
      name: 'petstore_certificate_renewal_time_seconds',
      help: 'When a certificate will be renewed, as a Unix time, of the same certificates.',
      samples: installed.map(({ hostname, kind, renewAt }) => [{ hostname, kind }, renewAt / 1000]),
    },
    {
      type: 'gauge',
      name: 'petstore_clock_wrong_seconds',
      help: "By how much this machine's clock is ahead of the certificate authority's; 0 unless it is more than an hour off.",
      samples: [[{}, (certificates.clockWrongByMs() ?? 0) / 1000]],
    },
  ]
}
