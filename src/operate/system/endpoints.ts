/** The endpoint for the settings of the service. */

import { endpoint, gathered } from '../../api/endpoint.ts'
import { System } from './schemas.ts'

export const systemEndpoints = {
  getSystem: endpoint({
    method: 'GET',
    path: '/system',
    tag: 'system',
    summary: 'Fetch the settings of the service',
    description:
      'Returns the version and environment of the service, its address, the domain of its web sites, and its data directory with its size.',
    scope: 'admin',
    success: gathered(System, { description: 'The settings.' }),
    stability: 'beta',
  }),
}
