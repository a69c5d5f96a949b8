/** The endpoint that exports animals. */

import { Type } from '@sinclair/typebox'
import { endpoint, file } from '../../api/declare.ts'
import { stringEnum } from '../../api/schemas.ts'
import { exportFormats } from './export.ts'

export const exportEndpoints = {
  exportPets: endpoint({
    method: 'GET',
    path: '/exports/pets',
    tag: 'animals',
    summary: 'Export all animals',
    description:
      'Sends a snapshot of all animals with the names of their categories, as CSV (RFC 4180) or NDJSON, no faster than it is read. `POST /imports` reads it. In CSV, names that a spreadsheet would run as a formula begin with an apostrophe, which the import removes.',
    scope: 'pets:read',
    query: {
      format: Type.Optional(
        stringEnum(exportFormats, { default: 'csv', description: 'The format of the file.', examples: ['csv'] }),
      ),
    },
    success: file({
      description: 'The file.',
      mediaTypes: ['text/csv', 'application/x-ndjson'],
      isStored: false,
    }),
    stability: 'beta',
  }),
}
