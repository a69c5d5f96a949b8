/** The endpoints behind `petstore status` and `petstore doctor`. */

import { endpoint, gathered, resource } from '../../api/endpoint.ts'
import { SystemChecks, SystemStatus } from './schemas.ts'

export const doctorEndpoints = {
  getSystemStatus: endpoint({
    method: 'GET',
    path: '/system/status',
    tag: 'system',
    summary: 'Fetch the status of the service',
    description:
      'Returns the version and start of the service, its ports, the requests and errors of the last hour, what needs attention in words, and the newest backup. Requests of commands on the machine do not count.',
    scope: 'admin',
    success: resource(SystemStatus, { description: 'The status.', cacheControl: 'no-store' }),
    stability: 'beta',
  }),
  getSystemChecks: endpoint({
    method: 'GET',
    path: '/system/checks',
    tag: 'system',
    summary: 'Examine the store',
    description:
      'Examines the database, its totals, the files of websites, the disk, ports, DNS records, certificates, backups and mail, and shows how to fix each fault. It changes nothing. A separate process reads the database, which takes a second or two for a million animals; requests at the same time get one result.',
    scope: 'admin',
    success: gathered(SystemChecks, { description: 'The result.', cacheControl: 'no-store' }),
    stability: 'beta',
  }),
}
