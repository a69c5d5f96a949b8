/** The names whose certificate needs the operator, for the overview. */

import { and, gt, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { AttentionSource } from '../../api/attention.ts'
import type { Tables } from '../../database/open.ts'
import type { DomainStore } from '../domains/store.ts'
import type { ProjectStore } from '../projects/store.ts'
import { explainedAfterMs } from './rules.ts'
import { type CertificateKind, certificates } from './table.ts'

/**
 * `certificate_failed`: the order has failed, or the name waits for 30 minutes. `certificate_expiring`: less than a
 * quarter of the certificate's life is left, or none.
 */
export function createCertificateAttention({
  tables,
  domains,
  projects,
}: {
  readonly tables: Tables
  readonly domains: Pick<DomainStore, 'holderOf'>
  readonly projects: Pick<ProjectStore, 'findBySlug'>
}): AttentionSource {
  const { hostname, kind, file, notBefore, notAfter, wantedAt, failures, removedAt } = certificates
  const renewedByMs = sql<number>`${notAfter} - (${notAfter} - ${notBefore}) / 4`
  const rows = tables
    .select({
      hostname,
      kind,
      file,
      notAfter,
      sinceMs: sql<number>`CASE WHEN ${file} IS NULL THEN ${wantedAt} ELSE ${renewedByMs} END`,
    })
    .from(certificates)
    .where(
      and(
        isNull(removedAt),
        or(
          and(isNull(file), or(gt(failures, 0), lte(wantedAt, sql.placeholder('wantedBefore')))),
          and(isNotNull(file), lte(renewedByMs, sql.placeholder('nowMs'))),
        ),
      ),
    )
    .limit(sql.placeholder('limit'))
    .prepare()

  /** Null for the name of the API, which belongs to no project. */
  function projectOf(name: string, nameKind: CertificateKind): number | null {
    if (nameKind === 'api') return null
    if (nameKind === 'domain') return domains.holderOf(name)?.projectId ?? null
    return projects.findBySlug(name.slice(0, name.indexOf('.')))?.id ?? null
  }

  return (nowMs, limit) =>
    rows.all({ nowMs, wantedBefore: nowMs - explainedAfterMs, limit }).map((row) => ({
      kind: row.file === null ? 'certificate_failed' : 'certificate_expiring',
      id: projectOf(row.hostname, row.kind),
      name: row.hostname,
      sinceMs: row.sinceMs,
      expiresMs: row.notAfter,
    }))
}
