/** The handlers of the endpoints of domains. */

import { auditContextOf } from '../../access/audit/store.ts'
import { mount } from '../../api/mount.ts'
import type { Principal } from '../../api/principal.ts'
import type { EndpointParts, MaySee } from '../../api/route.ts'
import type { OptionValues } from '../../config/values.ts'
import type { Clock } from '../../lib/clock.ts'
import { findProject, getProject } from '../projects/change.ts'
import { maySeeAllProjects } from '../projects/rules.ts'
import type { ProjectRow, ProjectStore } from '../projects/store.ts'
import { changeDomain, changeOf, getDomain, removeDomain } from './change.ts'
import { checkAnyName } from './checks/diagnose.ts'
import { claimDomain, hostingIsOff, taken } from './claim.ts'
import { domainEndpoints } from './endpoints.ts'
import { aLabelForm } from './hostname.ts'
import type { DomainHosting } from './parts.ts'
import { stateOf } from './state.ts'
import type { DomainRow, DomainSummary } from './store.ts'
import { findingsOf, toDomain } from './view.ts'

export const domainRoutes = (parts: {
  readonly projects: ProjectStore
  readonly domainHosting: DomainHosting
  readonly hostingSettings: { read(): OptionValues }
  readonly clock: Clock
  readonly endpointParts: EndpointParts
}) => {
  const { projects, clock, domainHosting, hostingSettings, endpointParts } = parts
  const { domains, domainHistory, checks } = domainHosting
  const projectOf = (principal: Principal, id: number) => getProject({ projects }, principal, id)

  /** Shows domains of one project. */
  function viewOf(project: ProjectRow) {
    return (row: DomainRow) => toDomain(domainHosting, project, row, clock.now())
  }

  function find(principal: Principal, params: { readonly projectId: number; readonly hostname: string }) {
    const project = projectOf(principal, params.projectId)
    return { project, row: getDomain(domains, project.id, params.hostname) }
  }

  function isActive(row: DomainSummary): boolean {
    const { certificateOf } = domainHosting
    return stateOf(row, certificateOf?.(row.hostname), clock.now()) === 'active'
  }

  const maySeeProject: MaySee = ({ principal, params }) =>
    findProject({ projects }, principal, Number(params['projectId'])) !== undefined

  return mount(
    domainEndpoints,
    {
      listAllDomains({ query: { hostname: given }, principal, cursorId = 0, fetchLimit }) {
        const accountId = maySeeAllProjects(principal) ? undefined : principal.accountId
        const hostname = given === undefined ? undefined : (aLabelForm(given) ?? given)
        const rows = domains.pageOf({ accountId, hostname }, cursorId, fetchLimit)
        const records = rows.map((row) => viewOf(projectOf(principal, row.projectId))(row))
        return { records, ids: rows.map(({ id }) => id) }
      },
      checkDomain({ body, once }) {
        return once(async (_, respond) => respond(await checkAnyName({ ...domainHosting, hostingSettings }, body)))
      },
      listDomains({ params, principal, cursorId = 0, fetchLimit }) {
        const project = projectOf(principal, params.projectId)
        const rows = domains.page(project.id, cursorId, fetchLimit)
        return { records: rows.map(viewOf(project)), ids: rows.map(({ id }) => id) }
      },
      createDomain({ params, body, principal, once }) {
        const project = () => projectOf(principal, params.projectId)
        return once(async (commit) => {
          const add = await claimDomain(domainHosting, project, body, auditContextOf(principal, clock))
          return commit(() => {
            const row = add()
            const location = `/v1/projects/${row.projectId}/domains/${row.hostname}`
            return { body: viewOf(project())(row), location }
          })
        })
      },
      getDomain({ params, principal }) {
        const { project, row } = find(principal, params)
        return viewOf(project)(row)
      },
      updateDomain({ params, body, principal, assertPreconditions }) {
        const { project, row } = find(principal, params)
        const change = changeOf(domains, row, body)
        assertPreconditions(() => viewOf(project)(row))
        return viewOf(project)(changeDomain(domainHosting, project, row, change, auditContextOf(principal, clock)))
      },
      deleteDomain({ params, principal, assertPreconditions }) {
        const { project, row } = find(principal, params)
        assertPreconditions(() => viewOf(project)(row))
        removeDomain(domainHosting, project, row, isActive, auditContextOf(principal, clock))
      },
      verifyDomain({ params, principal, assertPreconditions, once }) {
        return once(async (_, respond) => {
          const { project, row } = find(principal, params)
          assertPreconditions(() => viewOf(project)(row))
          if (!checks) throw hostingIsOff()
          const outcome = await checks.verify(row, project.accountId)
          if (outcome === 'taken') throw taken(domainHosting, row.hostname, project.accountId)
          return respond(viewOf(project)(getDomain(domains, project.id, row.hostname)))
        })
      },
      getDomainDiagnosis({ params, principal }) {
        const { project, row } = find(principal, params)
        const checkedAt = row.checkedAt === null ? null : new Date(row.checkedAt).toISOString()
        return { hostname: row.hostname, checkedAt, findings: findingsOf(domainHosting, row, project.accountId) }
      },
      listDomainEvents({ params, principal, cursorId = Number.MAX_SAFE_INTEGER, fetchLimit }) {
        const { project, row } = find(principal, params)
        return domainHistory
          .page(project.id, row.hostname, cursorId, fetchLimit)
          .map(({ id, at, type, message }) => ({ id, at: new Date(at).toISOString(), type, message }))
      },
      listRedirects({ params, principal, cursorId = 0, fetchLimit }) {
        const { id: projectId } = projectOf(principal, params.projectId)
        const to = domains.primaryOf(projectId)
        const shown = domains
          .ofProject(projectId)
          .filter(({ id, isPrimary }) => !isPrimary && id > cursorId)
          .slice(0, fetchLimit)
        const records = shown.map(({ hostname, redirectStatus }) => ({ from: hostname, to, status: redirectStatus }))
        return { records, ids: shown.map(({ id }) => id) }
      },
    },
    endpointParts,
    { createDomain: maySeeProject, verifyDomain: maySeeProject },
  )
}
