/** The handler of the endpoint that exports animals. */

import type { App } from '../app-parts.ts'
import { mount } from '../endpoint/mount.ts'
import { exportEndpoints } from './endpoints.ts'

const mediaTypes = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const

export const exportRoutes = ({ exports, clock, endpointParts }: Pick<App, 'exports' | 'clock' | 'endpointParts'>) =>
  mount(
    exportEndpoints,
    {
      async exportPets({ query: { format = 'csv' } }) {
        exports.assertFree()
        const today = new Date(clock.now()).toISOString().slice(0, 10)
        return {
          mediaType: mediaTypes[format],
          fileName: `pets-${today}.${format}`,
          content: { open: () => exports.open(format) },
        }
      },
    },
    endpointParts,
  )
