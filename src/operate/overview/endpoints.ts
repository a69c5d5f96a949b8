/** The endpoint of the overview. */

import { Type } from '@sinclair/typebox'
import { endpoint, resource } from '../../api/endpoint.ts'
import { daysQuery } from '../../api/schemas.ts'
import { Overview } from './schemas.ts'

export const overviewEndpoints = {
  getOverview: endpoint({
    method: 'GET',
    path: '/overview',
    tag: 'system',
    summary: 'Fetch an overview of the store',
    description: [
      'Returns the animals and orders by status, the requests and orders of each of the last days (UTC, the oldest first and today last), and what needs attention.',
      'These need attention: orders that wait for more than 24 hours, banned keys, keys that expire within 14 days, a last backup from more than 7 days ago, websites while hosting is off, domains, certificates that could not be issued or expire soon, a nearly full disk, faults of the storage, a wrong clock, and mail that is not sent.',
    ].join('\n\n'),
    scope: 'admin',
    query: { days: Type.Optional(daysQuery()) },
    success: resource(Overview, { description: 'The overview.' }),
    stability: 'beta',
  }),
}
