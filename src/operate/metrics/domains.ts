/** The metrics of custom domains: how many there are by status, and their checks. */

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
