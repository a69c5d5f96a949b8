/** The metrics of custom domains: how many there are by status, and their checks. */

import { dnsStatuses } from '../../hosting/domains/state.ts'
import type { Metric } from './exposition.ts'

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
    {
      type: 'gauge',
      name: 'petstore_domains',
      help: 'Domains of projects by the status of their DNS.',
      samples: dnsStatuses.map((status) => [{ status }, found.get(status) ?? 0]),
    },
    {
      type: 'counter',
      name: 'petstore_domain_checks_total',
      help: 'Checks of domains by outcome: proven, failed, unknown (the servers did not respond), taken (another project has the name), gone (removed meanwhile).',
      samples: Object.entries(checks.counts).map(([outcome, count]) => [{ outcome }, count]),
    },
    {
      type: 'gauge',
      name: 'petstore_domain_checks_in_progress',
      help: 'Checks of domains that are running or waiting.',
      samples: [[{}, checks.inProgress()]],
    },
  ]
}
