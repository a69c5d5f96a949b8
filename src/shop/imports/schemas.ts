/** The JSON form of imports. */

import { type Static, Type } from '@sinclair/typebox'
import { booleanParameter, faultOf, idSchema, nullable, openEnum, timeOrNull, timeSchema } from '../../api/schemas.ts'
import { categoryName } from '../categories/schemas.ts'
import { maximumColumns, maximumShownName } from './file/columns.ts'
import { maximumLines, maximumMessages } from './file/problems.ts'
import { maximumErrors, maximumNewCategories } from './rules.ts'
import type { ImportRow } from './store.ts'

const rows = (description: string, example: number) =>
  Type.Integer({ format: 'int32', minimum: 0, maximum: 2_147_483_647, description, examples: [example] })

const fileName = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\x00-\\x1F\\x7F]+$',
  description: 'The name of the file, for the list of imports.',
  examples: ['animals.csv'],
})

const imported = rows('The number of animals that it added.', 312)
const skipped = rows('The number of invalid rows that it skipped.', 3)
const createdAt = timeSchema('When the import began.')

export const Import = Type.Object(
  {
    id: idSchema('Identifier of the import.'),
    fileName: nullable(fileName),
    imported,
    skipped,
    state: openEnum(['running', 'completed', 'undoing', 'undone'], {
      description:
        'Whether its animals are being added (or removed, if that has failed), have been added, are being removed by undoing it, or have been removed by that. An undo that is interrupted is finished by the server.',
      examples: ['completed'],
    }),
    createdAt,
    undoneAt: nullable(timeSchema('When it was undone; null if it was not.')),
  },
  {
    title: 'Import',
    description: 'An import of animals from a file.',
    examples: [
      {
        id: 4,
        fileName: 'animals.csv',
        imported: 312,
        skipped: 3,
        state: 'completed',
        createdAt: '2026-11-20T10:15:00.000Z',
        undoneAt: null,
      },
    ],
  },
)

export const Imports = Type.Array(Import, { title: 'Imports', description: 'A page of imports.', maxItems: 100 })

export const ImportResult = Type.Object(
  {
    id: nullable(idSchema('Identifier of the import; null for a dry run.')),
    imported: rows('The number of animals that were added or, in a dry run, would be added.', 312),
    skipped: rows('The number of invalid rows.', 3),
    errors: Type.Array(
      Type.Object({
        line: rows('The number of the line, from 1.', 17),
        message: Type.String({
          minLength: 1,
          maxLength: 2_000,
          pattern: '\\S',
          description: 'Why the row is invalid.',
          examples: ['name is blank'],
        }),
      }),
      { maxItems: maximumErrors, description: `The invalid rows, at most the first ${maximumErrors}.` },
    ),
    problems: Type.Array(
      Type.Object({
        message: Type.String({
          minLength: 1,
          maxLength: 2_000,
          pattern: '\\S',
          description: 'What is wrong with a value of these rows.',
          examples: ['name is blank'],
        }),
        rows: rows('The number of rows that have the problem.', 3),
        lines: Type.Array(rows('The number of a line, from 1.', 17), {
          maxItems: maximumLines,
          description: 'The lines of the first of these rows.',
        }),
      }),
      {
        maxItems: maximumMessages + 1,
        description: 'The problems of all invalid rows, equal ones together, the most frequent first.',
      },
    ),
    unusedColumns: Type.Array(
      Type.String({ minLength: 1, maxLength: maximumShownName, pattern: '\\S', examples: ['Colour'] }),
      {
        maxItems: maximumColumns,
        description: 'The columns of the file that are not used.',
      },
    ),
    newCategories: Type.Array(categoryName.stored, {
      maxItems: maximumNewCategories,
      description: `The names of the categories that were added or, in a dry run, would be added: at most the first ${maximumNewCategories}.`,
    }),
    createdAt,
    previousImportId: nullable(
      idSchema('The latest import of the same bytes that was not undone; null if there is none.'),
    ),
  },
  { title: 'ImportResult', description: 'The result of an import or of a dry run.' },
)
export type ImportResult = Static<typeof ImportResult>

export const UndoneImport = Type.Object(
  {
    id: idSchema('Identifier of the import.'),
    removed: rows('The number of animals that were removed.', 310),
    changed: rows('The number of animals that remain because they were changed.', 1),
    ordered: rows('The number of animals that remain because they were ordered.', 1),
  },
  { title: 'UndoneImport', description: 'The result of undoing an import.' },
)

export const importParameters = {
  columns: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: '=',
      description:
        "The file's columns (the members of its objects) for `name`, `category`, `categoryId` and `status`, if they have other names, such as `name=Name,category=Type`. Of `name=Name|Animal ID` the first column that has a value counts. An empty value, such as `status=`, stands for no column.",
      examples: ['name=Name,category=Type'],
      [faultOf]: (value: string) =>
        value.includes('=') ? undefined : 'must name columns of the file, such as name=Name,category=Type',
    }),
  ),
  statuses: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_000,
      pattern: '=',
      description:
        "The file's words for a status that are not `available`, `pending` or `sold`, and what they stand for, such as `Adopted=sold,Returned=available`. Upper and lower case are the same.",
      examples: ['Adopted=sold,Returned=available'],
      [faultOf]: (value: string) =>
        value.includes('=') ? undefined : 'must map words of the file, such as Adopted=sold,Returned=available',
    }),
  ),
  skipInvalid: Type.Optional(
    booleanParameter({
      default: false,
      description: 'Whether the valid rows are imported if others are invalid.',
      examples: [true],
    }),
  ),
  dryRun: Type.Optional(
    booleanParameter({ default: false, description: 'Whether the file is only checked.', examples: [true] }),
  ),
  fileName: Type.Optional(fileName),
}

/** Returns the JSON form of an import. */
export function toImport(row: ImportRow): Static<typeof Import> {
  const { id, fileName: name, imported: added, skipped: invalid, createdAt: begunAt, undoneAt } = row
  return {
    id,
    fileName: name,
    imported: added,
    skipped: invalid,
    state: stateOf(row),
    createdAt: new Date(begunAt).toISOString(),
    undoneAt: timeOrNull(undoneAt),
  }
}

function stateOf({ completedAt, undoingAt, undoneAt }: ImportRow): Static<typeof Import>['state'] {
  if (undoneAt !== null) return 'undone'
  if (undoingAt !== null) return 'undoing'
  return completedAt === null ? 'running' : 'completed'
}
