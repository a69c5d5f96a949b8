/** The endpoints of deploys. */

import { created, endpoint, page, performed, resource, upload } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { uploadsInAll, uploadsOfAccount } from '../../api/upload-turns.ts'
import { archiveTypes, maximumArchiveBytes } from './archive/unpack.ts'
import { keptDeploys } from './publish.ts'
import { Deploy, Deploys } from './schemas.ts'

const projectId = idParameter('Id of the project.')
const params = { projectId, deployId: idParameter('Id of the deploy.') }
const common = { tag: 'projects' } as const
const others = 'Without the scope `admin`, a project of another account is not found.'

export const deployEndpoints = {
  listDeploys: endpoint({
    ...common,
    method: 'GET',
    path: '/projects/{projectId}/deploys',
    params: { projectId },
    summary: 'List deploys',
    description: `Returns a page of the deploys of a project, the newest first. The live deploy and the ${keptDeploys} that were live before it are kept. ${others}`,
    scope: 'projects:read',
    success: page(Deploys, { description: 'A page of deploys.', cursorName: 'deploys' }),
  }),
  createDeploy: endpoint({
    ...common,
    method: 'POST',
    path: '/projects/{projectId}/deploys',
    params: { projectId },
    summary: 'Deploy a website',
    description: `Publishes the files of an archive (tar.gz or zip, at most 100 MiB). The response is sent once they are live; the switch is atomic, and a deploy that fails changes nothing.\n\nAn archive has at most 20,000 files and 500 MiB of content. Symbolic links, names that lead out of the archive and names that differ in case alone are rejected, and so is an archive with files of the service's own data directory.\n\nDotfiles outside of \`.well-known/\`, \`node_modules/\`, \`__MACOSX\`, \`.well-known/acme-challenge/\` and \`.well-known/pki-validation/\` are left out, and so is a single folder that contains everything.\n\nThe deploys of an account have at most 1 GiB of distinct content; for a new one, the oldest ones that are not live and were never promoted are removed if necessary. At most ${uploadsOfAccount} deploys of an account and ${uploadsInAll} of all accounts may run at the same time; one more is \`too_busy\`. ${others}`,
    scope: 'projects:write',
    body: upload(archiveTypes, maximumArchiveBytes),
    success: created(Deploy, { description: 'The deploy, which is live.' }),
    errors: ['too_busy'],
  }),
  getDeploy: endpoint({
    ...common,
    method: 'GET',
    path: '/projects/{projectId}/deploys/{deployId}',
    params,
    summary: 'Fetch a deploy',
    description: `Returns one deploy. ${others}`,
    scope: 'projects:read',
    success: resource(Deploy, { description: 'The deploy.' }),
  }),
  promoteDeploy: endpoint({
    ...common,
    method: 'POST',
    path: '/projects/{projectId}/deploys/{deployId}/promote',
    params,
    summary: 'Promote a deploy',
    description: `Makes a deploy the live one at once, usually an earlier one to roll back. A deploy that is already live stays live. ${others}`,
    scope: 'projects:write',
    success: performed(Deploy, { description: 'The deploy, which is live.' }),
  }),
}
