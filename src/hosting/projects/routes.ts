/** The handlers of the endpoints of projects. */

import { accountFor, type StoreAccountStores } from '../../access/accounts/store-account.ts'
import { auditContextOf } from '../../access/audit/store.ts'
import type { EventWriter } from '../../access/events/log.ts'
import { mount } from '../../api/mount.ts'
import { namedAccount } from '../../api/principal.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { Clock } from '../../lib/clock.ts'
import { storedLabel } from '../../lib/text.ts'
import type { DeployStore } from '../deploys/store.ts'
import { createProject, type DomainsOfProject, deleteProject, freeSlug, getProject, renameProject } from './change.ts'
import { projectEndpoints } from './endpoints.ts'
import { maySee, maySeeAllProjects } from './rules.ts'
import type { Project } from './schemas.ts'
import type { ProjectStore } from './store.ts'
import type { ProjectViewParts } from './view.ts'
import { createProjectView, urlOf } from './view.ts'

export const projectRoutes = (
  parts: StoreAccountStores & {
    readonly projects: ProjectStore
    readonly deploys: DeployStore
    readonly events: EventWriter
    readonly hosting: HostingConfig | undefined
    readonly domainHosting: Pick<ProjectViewParts, 'certificateOf'> & DomainsOfProject
    readonly clock: Clock
    readonly endpointParts: EndpointParts
  },
) => {
  const { projects, clock, domainHosting, events } = parts
  const toProject = createProjectView({ ...parts, certificateOf: domainHosting.certificateOf })
  return mount(
    projectEndpoints,
    {
      listProjects({ principal, cursorId = 0, fetchLimit }) {
        const accountId = maySeeAllProjects(principal) ? undefined : principal.accountId
        return projects.page(accountId, cursorId, fetchLimit).map(toProject)
      },
      createProject({ body, principal }) {
        const context = auditContextOf(principal, clock)
        const accountId = accountFor(parts, principal, context, body.accountId)
        const project = createProject(parts, { accountId, name: storedLabel(body.name) }, context)
        const record = toProject(project)
        events.write('project.created', accountId, record)
        return { body: record, location: `/v1/projects/${project.id}` }
      },
      async previewProject({ query, principal }) {
        const accountId = namedAccount(principal, query.accountId)
        const slug = freeSlug(parts, { accountId, name: storedLabel(query.name) })
        return { slug, url: urlOf(slug, parts.hosting) }
      },
      getProject: ({ params, principal }) => toProject(getProject(parts, principal, params.projectId)),
      updateProject({ params, body, principal, assertPreconditions }) {
        const project = getProject(parts, principal, params.projectId)
        const name = body.name === undefined ? undefined : storedLabel(body.name)
        const renamed = renameProject(parts, project, name, auditContextOf(principal, clock), (row) =>
          assertPreconditions(toProject(row)),
        )
        const record = toProject(renamed)
        events.write('project.updated', project.accountId, record, toProject(project))
        return record
      },
      deleteProject({ params, principal, assertPreconditions }) {
        const project = getProject(parts, principal, params.projectId)
        const record = toProject(project)
        const stores = { ...parts, domains: domainHosting }
        deleteProject(stores, project, auditContextOf(principal, clock), () => assertPreconditions(record))
        events.write('project.deleted', project.accountId, record)
      },
    },
    parts.endpointParts,
    { createProject: ({ principal, record }) => maySee(principal, record as Project) },
  )
}
