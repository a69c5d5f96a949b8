/** The handlers of the endpoints of deploys. */

import { type AuditStore, auditContextOf } from '../../access/audit/store.ts'
import type { EventWriter } from '../../access/events/log.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts, MaySee } from '../../api/route.ts'
import type { UploadTurns } from '../../api/upload-turns.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { saveUpload } from '../../lib/contents/save-upload.ts'
import type { ContentStore } from '../../lib/contents/store.ts'
import { findProject, getProject } from '../projects/change.ts'
import type { ProjectStore } from '../projects/store.ts'
import { type ArchiveType, unpack } from './archive/unpack.ts'
import { deployEndpoints } from './endpoints.ts'
import type { FileRows } from './file-rows.ts'
import { getDeploy, promote, publish } from './publish.ts'
import { toDeploy } from './schemas.ts'
import type { DeployStore } from './store.ts'

export const deployRoutes = (parts: {
  readonly projects: ProjectStore
  readonly deploys: DeployStore
  readonly deployFiles: FileRows
  readonly audit: AuditStore
  readonly events: EventWriter
  readonly files: ContentStore
  readonly deployTurns: UploadTurns
  readonly writer: Writer
  readonly clock: Clock
  readonly endpointParts: EndpointParts
}) => {
  const { deploys, events, files, deployTurns, clock, writer } = parts
  const maySeeProject: MaySee = ({ principal, params }) =>
    findProject(parts, principal, Number(params['projectId'])) !== undefined

  return mount(
    deployEndpoints,
    {
      listDeploys({ params, principal, cursorId = Number.MAX_SAFE_INTEGER, fetchLimit }) {
        const project = getProject(parts, principal, params.projectId)
        return deploys.page(project.id, cursorId, fetchLimit).map((row) => toDeploy(row, project.liveDeployId))
      },
      async createDeploy({ params: { projectId }, body, principal }) {
        // The 404 comes after the archive is judged; until then, the upload uses the turns of the client's own account.
        const { accountId } = findProject(parts, principal, projectId) ?? principal
        const leave = deployTurns.enter(accountId, body.idempotencyKey)
        try {
          const batch = files.begin()
          try {
            await saveUpload(body.chunks, batch.temporaryPath, batch.reserve)
            return await body.once((commit) =>
              deployTurns.run(accountId, async (signal) => {
                const type = body.mediaType as ArchiveType
                const manifest = await unpack(batch.temporaryPath, type, { batch, nowMs: clock.now() })
                getProject(parts, principal, projectId)
                await batch.commit()
                const context = auditContextOf(principal, clock)
                const publication = { projectId, manifest, context, write: writer.write, signal }
                return publish(parts, publication, (change) =>
                  commit(() => {
                    const deploy = change()
                    const body = toDeploy(deploy, deploy.id)
                    events.write('deploy.live', deploy.accountId, body)
                    return {
                      body,
                      location: `/v1/projects/${projectId}/deploys/${deploy.id}`,
                    }
                  }),
                )
              }),
            )
          } finally {
            await batch.close()
          }
        } finally {
          leave()
        }
      },
      getDeploy({ params, principal }) {
        const project = getProject(parts, principal, params.projectId)
        return toDeploy(getDeploy(parts, project, params.deployId), project.liveDeployId)
      },
      promoteDeploy({ params, principal, assertPreconditions }) {
        const project = getProject(parts, principal, params.projectId)
        const deploy = getDeploy(parts, project, params.deployId)
        assertPreconditions(toDeploy(deploy, project.liveDeployId))
        const live = promote(parts, project, deploy, auditContextOf(principal, clock))
        const record = toDeploy(live, live.id)
        if (project.liveDeployId !== live.id) events.write('deploy.live', project.accountId, record)
        return record
      },
    },
    parts.endpointParts,
    { createDeploy: maySeeProject, promoteDeploy: maySeeProject },
  )
}
