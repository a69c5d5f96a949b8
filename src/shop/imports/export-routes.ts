/** The handler of the endpoint that exports animals. */

import { mount } from '../../api/mount.ts'
import type { App } from '../../app/app-parts.ts'
import { exportEndpoints } from './export-endpoints.ts'

const mediaTypes = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const

type Parts = Pick<App, 'exports' | 'clock' | 'announcements' | 'endpointParts'>

export const exportRoutes = ({ exports, clock, announcements, endpointParts }: Parts) => {
  // Another run does not know what has changed in between.
  const run = crypto.randomUUID()
  let changes = 0
  announcements.subscribe(['pets', 'categories'], () => changes++)
  return mount(
    exportEndpoints,
    {
      async exportPets({ query: { format = 'csv' } }) {
        exports.assertFree()
        const today = new Date(clock.now()).toISOString().slice(0, 10)
        return {
          mediaType: mediaTypes[format],
          fileName: `pets-${today}.${format}`,
          content: { version: `${run} ${changes} ${format}`, open: () => exports.open(format) },
        }
      },
    },
    endpointParts,
  )
}
