/** The endpoints that import and export animals. */

import { Type } from '@sinclair/typebox'
import { created, endpoint, file, page, performed, resource, upload } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { booleanParameter, orderQuery, stringEnum } from '../../api/schemas.ts'
import { uploadsInAll, uploadsOfAccount } from '../../api/upload-turns.ts'
import { exportFormats } from './export.ts'
import { maximumFileBytes, maximumRows } from './rules.ts'
import { Import, ImportResult, Imports, importParameters, UndoneImport } from './schemas.ts'

const rows = maximumRows.toLocaleString('en')
/** .xlsx, .ods and .xls; a browser on Windows sends the last one for CSV, too. */
const spreadsheetTypes = [
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.ms-excel',
]

const params = { importId: idParameter('Id of the import.') }

export const importEndpoints = {
  createImport: endpoint({
    method: 'POST',
    path: '/imports',
    tag: 'animals',
    summary: 'Import animals from a file',
    description: [
      'Adds the animals of a CSV file with a header (separated by commas, semicolons or tabs), of an .xlsx, .ods or .xls file, of NDJSON or of a JSON array. The first bytes show whether a file is a spreadsheet, whatever type it is sent as. A file has at most 100 MiB, 100,000 rows, 128 KiB in a row and 1,000 columns.',
      'Text is read in UTF-8, UTF-16 or an encoding that is guessed from its letters (Windows-1250 to 1254 and 1257, ISO-8859-2, Mac Roman). `encoding` in the result names it; where several make sense, the parameter `encoding` is required.',
      'A spreadsheet is read as it is shown, except that dates begin with the year. It may have 500 MiB when it is unpacked, and is read within 60 seconds and 1 GiB of memory.',
      'The columns are `name`, `category` (a name; new categories are created) or `categoryId`, `status`, and the members of a profile: `number`, `breed`, `color`, `sex`, `birthDate`, `microchip`, `price` (in the currency of the store), `description`, `published` and `attributes`. Values are read as people write them. One that cannot be read is left out and listed in `unreadValues`.',
      'Rows whose `number` an animal has are counted as already there, or change that animal with `existing=update`.',
      'Other columns are recognised by their names in several languages and by all of their values; `guessedColumns` and `notes` say how the file was read. `columns`, `statuses` and `categories` map other columns and words, and `category` gives all animals one. A member of an object in an object is called `category.name`.',
      'Titles above the header, blank rows and totals at the end are ignored. Cells with `NA`, `N/A`, `NULL` or `-` are empty.',
      'The whole file is checked before the first animal is added. If a row is invalid, nothing is added, unless `skipInvalid` is true: the 400 names the most frequent problems, and with `listInvalid` a 200 lists the rows.',
      'With `dryRun`, the file is only checked. The 200 lists the invalid rows and, in `file`, the columns with their first values, the fields that are read from them, and the words that are not a status.',
      `The animals are added in one transaction, with at most ${rows} rows: split a larger file. At most ${uploadsOfAccount} imports of an account and ${uploadsInAll} of all accounts run at the same time; one more is \`too_busy\`. They are processed one after the other for each account.`,
    ].join('\n\n'),
    scope: 'pets:write',
    query: importParameters,
    body: upload(
      ['text/csv', 'application/x-ndjson', ...spreadsheetTypes, 'application/octet-stream'],
      maximumFileBytes,
      {
        'text/csv': 'name,category,status\nRex,Dog,available\nMinka,Cat,sold\n',
        'application/x-ndjson': '{"name":"Rex","category":"Dog","status":"available"}\n',
      },
    ),
    success: created(ImportResult, {
      description: 'The animals were added.',
      preview: 'Nothing was changed: the file was only checked (`dryRun`), or cannot be imported (`listInvalid`).',
    }),
    errors: ['too_busy'],
    stability: 'beta',
  }),
  listImports: endpoint({
    method: 'GET',
    path: '/imports',
    tag: 'animals',
    summary: 'List imports',
    description: 'Returns a page of imports, by id.',
    scope: 'pets:read',
    query: { order: Type.Optional(orderQuery()) },
    success: page(Imports, {
      description: 'A page of imports.',
      // A cursor is valid only in the order of its list.
      cursorName: ({ order }) => (order === 'desc' ? 'imports-newest' : 'imports'),
    }),
    stability: 'beta',
  }),
  getImport: endpoint({
    method: 'GET',
    path: '/imports/{importId}',
    params,
    tag: 'animals',
    summary: 'Fetch an import',
    description: 'Returns one import.',
    scope: 'pets:read',
    success: resource(Import, { description: 'The import.' }),
    stability: 'beta',
  }),
  undoImport: endpoint({
    method: 'DELETE',
    path: '/imports/{importId}',
    params,
    tag: 'animals',
    summary: 'Undo an import',
    description:
      'Removes the animals and categories that an import has added, except those that have been changed or ordered since, in one transaction. For 30 days it also puts back each member that the import has changed and nobody else since. An import can be undone once.',
    scope: 'pets:write',
    success: performed(UndoneImport, {
      description: 'What was removed, and what remains.',
      isUnconditional: true,
      inSteps: true,
    }),
    errors: ['conflict'],
    stability: 'beta',
  }),
  exportPets: endpoint({
    method: 'GET',
    path: '/exports/pets',
    tag: 'animals',
    summary: 'Export all animals',
    description:
      'Sends a snapshot of all animals with the names of their categories and their profiles, but without photos, as CSV (RFC 4180) or NDJSON, no faster than it is read. `price` is a decimal in the currency of the store, and `attributes` is a list; in CSV it is JSON. `POST /imports` reads the file. In CSV, an apostrophe is before what a spreadsheet would run as a formula; the import removes it.',
    scope: 'pets:read',
    query: {
      format: Type.Optional(
        stringEnum(exportFormats, { default: 'csv', description: 'The format of the file.', examples: ['csv'] }),
      ),
      bom: Type.Optional(
        booleanParameter({
          default: false,
          description: 'Whether the file begins with a byte order mark, by which a spreadsheet recognises UTF-8.',
          examples: [true],
        }),
      ),
    },
    success: file({
      description: 'The file.',
      mediaTypes: ['text/csv', 'application/x-ndjson'],
    }),
    stability: 'beta',
  }),
}
