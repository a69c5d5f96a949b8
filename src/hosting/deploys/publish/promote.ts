/** Making an earlier deploy the live one again. To be called in a transaction. */

import type { AuditContext } from '../../../access/audit/context.ts'
import { AppError } from '../../../lib/error.ts'
import type { ProjectRow } from '../../projects/store.ts'
import type { DeployRow } from '../store.ts'
import type { DeployStores } from './publish.ts'

type Stores = Pick<DeployStores, 'deploys' | 'audit'>

/** Throws `not_found` for a deploy that the project does not have, or no longer. */
export function getDeploy({ deploys }: Pick<Stores, 'deploys'>, project: ProjectRow, deployId: number): DeployRow {
  const deploy = deploys.find(deployId)
  if (deploy?.projectId === project.id) return deploy
  throw new AppError('not_found', `Project ${project.id} has no deploy ${deployId}.`)
}

/** Makes a deploy of the project its live one. The live one stays as it is. */
export function promote(
  { deploys, audit }: Stores,
  project: ProjectRow,
  deploy: DeployRow,
  context: AuditContext,
): DeployRow {
  const { id: deployId, accountId, projectId } = deploy
  if (project.liveDeployId === deployId) return deploy
  audit.add(context, {
    action: 'deploy.promoted',
    accountId,
    details: { projectId, deployId, previousDeployId: project.liveDeployId },
  })
  return deploys.goLive(deployId, context.nowMs, true)
}
