/** The JSON form of imports. */

import { type Static, Type } from '@sinclair/typebox'
import {
  booleanParameter,
  faultOf,
  idSchema,
  integerParameter,
  nullable,
  openEnum,
  stringEnum,
  timeOrNull,
  timeSchema,
  withOptions,
} from '../../api/schemas.ts'
import { categoryName } from '../categories/schemas.ts'
import { maximumColumns, maximumShownName, shownName } from './file/columns.ts'
import { encodings } from './file/encoding.ts'
import { type ImportField, importFields } from './file/fields.ts'
import { type Findings, maximumLines, maximumMessages, maximumWordLength, maximumWords } from './file/findings.ts'
import { type NoteOptions, noteKinds, notesOf, notesOfText } from './file/notes.ts'
import { type Delimiter, type Layout, maximumRowBytes, shownRows } from './file/rows.ts'
import { existingModes } from './plan.ts'
import { maximumNewCategories, maximumRows } from './rules.ts'
import type { ImportRow } from './store.ts'
import { dateOrders } from './values/dates.ts'

const rows = (description: string, example: number) =>
  Type.Integer({ format: 'int32', minimum: 0, maximum: 2_147_483_647, description, examples: [example] })

const message = (description: string, example: string, maxLength = 2_000) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description, examples: [example] })

const words = (description: string, example: string) =>
  Type.Array(
    Type.Object({
      word: Type.String({ minLength: 1, maxLength: maximumWordLength, examples: [example] }),
      rows: rows('The number of rows that have it.', 12),
    }),
    { maxItems: maximumWords, description },
  )

const fileName = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\x00-\\x1F\\x7F]+$',
  description: 'The name of the file, for the list of imports.',
  examples: ['animals.csv'],
})

const imported = rows('The number of animals that it added.', 312)
const changed = rows('The number of animals that it changed, because they have the number of a row.', 0)
const skipped = rows('The number of invalid rows that it skipped.', 3)
const createdAt = timeSchema('When the file was imported.')

export const Import = Type.Object(
  {
    id: idSchema('Identifier of the import.'),
    fileName: nullable(fileName),
    imported,
    changed,
    skipped,
    state: openEnum(['completed', 'undone'], { description: 'Whether it was undone.', examples: ['completed'] }),
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
        changed: 0,
        skipped: 3,
        state: 'completed',
        createdAt: '2026-11-20T10:15:00.000Z',
        undoneAt: null,
      },
    ],
  },
)

/** The `data` of the events of imports. */
export const ImportedPets = Type.Object(
  {
    id: idSchema('Identifier of the import.'),
    imported,
    skipped,
    firstPetId: nullable(idSchema('The first id of its animals; null if it has none.')),
    lastPetId: nullable(idSchema('The last id of its animals; no other animal has an id between the two.')),
  },
  {
    title: 'ImportedPets',
    description: 'The animals of an import: `GET /pets?importId=` lists those that are there.',
    examples: [{ id: 4, imported: 312, skipped: 3, firstPetId: 43, lastPetId: 354 }],
  },
)

export function toImportedPets({
  id,
  imported,
  skipped,
  firstPetId,
  lastPetId,
}: ImportRow): Static<typeof ImportedPets> {
  return { id, imported, skipped, firstPetId, lastPetId }
}

export const Imports = Type.Array(Import, { title: 'Imports', description: 'A page of imports.', maxItems: 100 })

const ColumnNumbers = Type.Array(
  Type.Integer({ format: 'int32', minimum: 1, maximum: maximumColumns, examples: [2] }),
  {
    title: 'ColumnNumbers',
    maxItems: maximumColumns,
    description: 'The numbers of columns, from 1, of which the first that has a value counts.',
  },
)

const mappedColumns = Object.fromEntries(importFields.map((field) => [field, ColumnNumbers])) as Record<
  ImportField,
  typeof ColumnNumbers
>

const ImportFile = Type.Object(
  {
    delimiter: nullable(
      openEnum(['comma', 'semicolon', 'tab'], {
        description: 'What separates the fields of a CSV file; null for NDJSON.',
        examples: ['semicolon'],
      }),
    ),
    hasHeader: Type.Boolean({ description: 'Whether a line names the columns.', examples: [true] }),
    headerLine: nullable(
      Type.Integer({
        format: 'int32',
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'The number of this line, from 1; null without one. The lines before it are ignored.',
        examples: [1],
      }),
    ),
    columns: Type.Array(
      Type.Object({
        name: Type.String({
          maxLength: maximumRowBytes,
          description: 'The name in the header; empty without one.',
          examples: ['Rufname'],
        }),
        values: Type.Array(Type.String({ maxLength: maximumShownName, examples: ['Ada'] }), {
          maxItems: shownRows,
          description: `The first values, shortened to ${maximumShownName} characters; an empty one is \`""\`.`,
        }),
      }),
      {
        maxItems: maximumColumns,
        description: 'The columns in their order; of JSON, the members of the objects, such as `category.name`.',
      },
    ),
    questions: Type.Array(
      Type.Object({
        field: openEnum<ImportField>(importFields, { description: 'The field of the animals.', examples: ['name'] }),
        columns: ColumnNumbers,
      }),
      {
        maxItems: importFields.length,
        description:
          'The fields that several columns could be, or one uncertainly. They are not read until one is chosen.',
      },
    ),
    categories: words('The words in the column of the category, the most frequent first, for `categories`.', 'Kitten'),
    mapping: Type.Object(mappedColumns, {
      description: 'The columns from which each field is read: those of `columns`, and guessed ones for the others.',
    }),
    unknownStatuses: words(
      'The words in the column of the status that are none, the most frequent first, for `statuses`.',
      'Adopted',
    ),
  },
  { description: 'What a dry run finds out about the file.' },
)

const encodingName = openEnum(encodings, {
  title: 'Encoding',
  description: 'An encoding of texts.',
  pattern: '^[a-z][a-z0-9-]*$',
  examples: ['windows-1250'],
})

const FileEncoding = Type.Object(
  {
    name: encodingName,
    isGuessed: Type.Boolean({
      description: 'Whether it was guessed from the letters of the text, since the file is neither UTF-8 nor UTF-16.',
      examples: [true],
    }),
    candidates: Type.Array(
      Type.Object({
        name: encodingName,
        example: Type.String({
          maxLength: maximumWordLength,
          pattern: '\\S',
          description: 'A word in it.',
          examples: ['Łatek'],
        }),
      }),
      {
        maxItems: encodings.length,
        description:
          'The encodings in which the text makes sense, if there are several: an import then needs `encoding`.',
      },
    ),
  },
  { description: 'The encoding of the file; null if nothing was read.' },
)

const sheetName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\x00]+$', description, examples: ['Animals'] })

const FileSheet = Type.Object(
  {
    name: sheetName('The sheet that was read.'),
    sheets: Type.Array(sheetName('The name of a sheet.'), {
      maxItems: 10_000,
      description: 'All sheets of the file, in their order.',
    }),
  },
  { description: 'The sheet of a spreadsheet; null for any other file.' },
)

const Problem = Type.Object(
  {
    message: message('What is wrong with a value of these rows.', 'name is blank'),
    rows: rows('The number of rows that have the problem.', 3),
    lines: Type.Array(rows('The number of a line, from 1.', 17), {
      maxItems: maximumLines,
      description: 'The lines of the first of these rows.',
    }),
  },
  { title: 'ImportProblem', description: 'Equal problems of rows.' },
)

export const ImportResult = Type.Object(
  {
    id: nullable(idSchema('Identifier of the import; null for a dry run.')),
    imported: rows('The number of animals that were added or, in a dry run, would be added.', 312),
    changed: rows('The number of animals that were changed or, in a dry run, would be changed.', 0),
    unchanged: rows('The number of rows whose animal has all of their values already.', 0),
    alreadyThere: rows('The number of rows that are not used because an animal has their number.', 0),
    skipped: rows('The number of invalid rows.', 3),
    errors: Type.Array(
      Type.Object({
        line: rows('The number of the line, from 1.', 17),
        message: message('Why the row is invalid.', 'name is blank'),
        name: Type.Optional(
          Type.String({
            maxLength: maximumWordLength,
            description: 'The name in the row, shortened; only for a dry run.',
            examples: ['Ada'],
          }),
        ),
        text: Type.Optional(
          Type.String({
            maxLength: maximumRowBytes,
            description: 'The row as it is in the file; only for a dry run.',
            examples: [';Cat;sold'],
          }),
        ),
      }),
      {
        maxItems: maximumRows,
        description: 'The invalid rows; for a dry run at most until their texts have eight million characters.',
      },
    ),
    problems: Type.Array(Problem, {
      maxItems: maximumMessages + 1,
      description: 'The problems of all invalid rows, equal ones together, the most frequent first.',
    }),
    unreadValues: Type.Array(Problem, {
      maxItems: maximumMessages + 1,
      description: 'The values of profiles that cannot be read and are left out, equal ones together.',
    }),
    unusedColumns: Type.Array(
      Type.String({ minLength: 1, maxLength: maximumShownName, pattern: '\\S', examples: ['Color'] }),
      {
        maxItems: maximumColumns,
        description: 'The columns of the file that are not used.',
      },
    ),
    guessedColumns: Type.Array(
      Type.Object({
        field: openEnum<ImportField>(importFields, {
          description: 'The field of the animals.',
          examples: ['category'],
        }),
        column: Type.String({ minLength: 1, maxLength: maximumShownName, pattern: '\\S', examples: ['Tierart'] }),
      }),
      {
        maxItems: importFields.length,
        description: 'The fields that are read from columns with other names, which were not given in `columns`.',
      },
    ),
    encoding: nullable(FileEncoding),
    sheet: nullable(FileSheet),
    leftOut: rows('The number of rows that are left out because of a word in `statuses` or `categories`.', 0),
    notes: Type.Array(
      Type.Object({
        kind: openEnum(noteKinds, { description: 'What the note is about.', examples: ['no_status'] }),
        message: message('The note, for people.', 'No column for the status: all 312 are available.', 20_000),
      }),
      { maxItems: 100, description: 'How the file was read where that was guessed, and what of it is not used.' },
    ),
    newCategories: Type.Array(categoryName.stored, {
      maxItems: maximumNewCategories,
      description: `The names of the categories that were added or, in a dry run, would be added: at most the first ${maximumNewCategories}.`,
    }),
    unnamedCategories: Type.Array(idSchema('Id of a category.'), {
      maxItems: maximumNewCategories,
      description: `The ids of categories that animals have and that have no name: at most the first ${maximumNewCategories}.`,
    }),
    createdAt,
    previousImportId: nullable(
      idSchema('The latest import of the same bytes that was not undone; null if there is none.'),
    ),
    previousImportedAt: nullable(timeSchema('When that file was imported.')),
    rejection: nullable(
      Type.String({
        maxLength: 2_000,
        pattern: '\\S',
        description: 'Why nothing was imported, with `listInvalid`; null if the file can be imported.',
        examples: ['Nothing was imported: 3 of 315 rows are invalid.'],
      }),
    ),
    file: nullable(ImportFile),
  },
  { title: 'ImportResult', description: 'The result of an import or of a dry run.' },
)
export type ImportResult = Static<typeof ImportResult>

export const UndoneImport = Type.Object(
  {
    id: idSchema('Identifier of the import.'),
    removed: rows('The number of animals that were removed.', 310),
    removedCategories: rows('The number of categories that were removed.', 2),
    changed: rows('The number of animals that remain because they were changed.', 1),
    ordered: rows('The number of animals that remain because they were ordered.', 1),
    restored: rows('The number of animals that the import has changed and that are as before.', 0),
    notRestored: rows('The number of animals that it has changed and that cannot be as before.', 0),
  },
  { title: 'UndoneImport', description: 'The result of undoing an import.' },
)
export type UndoneImport = Static<typeof UndoneImport>

/** Columns or words of a file, and what they stand for. */
const mapping = (what: string, example: string, maxLength: number, description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength,
      pattern: '=',
      description,
      examples: [example],
      [faultOf]: (value: string) => (value.includes('=') ? undefined : `must ${what} of the file, such as ${example}`),
    }),
  )

export const importParameters = {
  columns: mapping(
    'name columns',
    'name=Name,category=Type',
    2_000,
    "The file's columns (the members of its objects) for the fields of an animal, if they have other names, such as `name=Name,category=Type`. Of `name=Name|Animal ID` the first column that has a value counts; `#2` is the second column. An empty value, such as `status=`, stands for no column.",
  ),
  statuses: mapping(
    'map words',
    'Adopted=sold,Returned=available,Died=',
    4_000,
    "The file's words for a status that are not `available`, `pending` or `sold`, and what they stand for, such as `Adopted=sold,Returned=available,Died=`. The rows of a word without a status, as `Died=`, are left out; `*=sold` stands for all other unknown words. Common words such as `Adoption` are known. Upper and lower case are the same.",
  ),
  categories: mapping(
    'map words',
    'Kitten=Cat,Puppy=Dog',
    4_000,
    "The file's words for a category and the categories that they stand for, such as `Kitten=Cat,Puppy=Dog,Unknown=`, like `statuses`. `*=Cat` stands for all words that are not mapped.",
  ),
  category: Type.Optional(
    withOptions(categoryName.given, { description: 'The category of all animals, whatever columns the file has.' }),
  ),
  fill: Type.Optional(
    stringEnum(['category'], {
      description: 'A field whose empty cells have the value of the row above, as in merged cells of a spreadsheet.',
      examples: ['category'],
    }),
  ),
  encoding: Type.Optional(
    stringEnum(encodings, {
      description:
        'The encoding of a file without a byte order mark. Without it the bytes determine UTF-8 and UTF-16, and another encoding is guessed from the letters; where several make sense, it is required.',
      examples: ['windows-1250'],
    }),
  ),
  sheet: Type.Optional(
    sheetName('The name of the sheet of a spreadsheet. Without it, the first one that is visible and not empty.'),
  ),
  hasHeader: Type.Optional(
    booleanParameter({
      description:
        'Whether a line of a CSV file names its columns. Without it this is guessed: the first line is an animal if no cell of it is a known name, and it has a status or all of `columns` are numbers.',
      examples: [false],
    }),
  ),
  headerLine: Type.Optional(
    integerParameter({
      format: 'int32',
      minimum: 1,
      maximum: 10_000,
      description:
        'The number of the line of a CSV file that names its columns. Without it this is the first line in which two cells are known names, or else the first one.',
      examples: [3],
    }),
  ),
  existing: Type.Optional(
    stringEnum(existingModes, {
      default: 'skip',
      description:
        'What becomes of rows whose number an animal has. `skip`: they are counted as already there. `update`: they change the name, the category, the status and the profile of that animal; empty cells change nothing.',
      examples: ['update'],
    }),
  ),
  dates: Type.Optional(
    stringEnum(dateOrders, {
      description:
        'Whether dates such as 03/04/2024 begin with the day or the month. Without it the other dates of the file show that; if none does, such dates are left out.',
      examples: ['dmy'],
    }),
  ),
  attributes: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: '\\S',
      description:
        'Columns that become attributes of the profile, such as `Kennel|Vaccinated`, or `all` that are not used otherwise.',
      examples: ['Vaccinated'],
    }),
  ),
  skipInvalid: Type.Optional(
    booleanParameter({
      default: false,
      description: 'Whether the valid rows are imported if others are invalid.',
      examples: [true],
    }),
  ),
  listInvalid: Type.Optional(
    booleanParameter({
      default: false,
      description:
        'Whether a file that its rows keep from being imported gets a 200 with `rejection`, which lists all of them, instead of a 400.',
      examples: [true],
    }),
  ),
  dryRun: Type.Optional(
    booleanParameter({ default: false, description: 'Whether the file is only checked.', examples: [true] }),
  ),
  fileName: Type.Optional(fileName),
}

/** Returns the JSON form of an import. */
export function toImport({
  id,
  fileName,
  imported,
  changed,
  skipped,
  createdAt,
  undoneAt,
}: ImportRow): Static<typeof Import> {
  const state = undoneAt === null ? 'completed' : 'undone'
  const times = { createdAt: new Date(createdAt).toISOString(), undoneAt: timeOrNull(undoneAt) }
  return { id, fileName, imported, changed, skipped, state, ...times }
}

const delimiterNames: Readonly<Record<Delimiter, 'comma' | 'semicolon' | 'tab'>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
}

/** Returns the fields whose columns were guessed. */
export function toGuesses({ layout }: Findings): ImportResult['guessedColumns'] {
  if (!layout) return []
  const { columns, located } = layout
  const guessed = importFields.filter((field) => located.guessed.has(field))
  return guessed.flatMap((field) =>
    (located.indexes.get(field) ?? []).map((index) => ({
      field,
      column: shownName(columns[index]?.name ?? '', index),
    })),
  )
}

/** Returns the notes on how a file was read; none if it has no rows. */
export function toNotes(findings: Findings, options: Omit<NoteOptions, 'leftOut'>): ImportResult['notes'] {
  const { layout, leftOut } = findings
  return [...notesOfText(findings), ...(layout ? notesOf(layout, { ...options, leftOut }) : [])]
}

/** Returns the encoding of a file; null if nothing was read. */
export function toEncoding({ encoding }: Findings): ImportResult['encoding'] {
  return encoding ? { ...encoding, candidates: [...encoding.candidates] } : null
}

/** Returns the sheet of a spreadsheet; null for any other file. */
export function toSheet({ sheet }: Findings): ImportResult['sheet'] {
  return sheet ? { name: sheet.name, sheets: [...sheet.sheets] } : null
}

/** Returns what was found out about a file; null if it has no rows. */
export function toFileView(findings: Findings): ImportResult['file'] {
  const { layout } = findings
  if (!layout) return null
  const { delimiter, headerLine, columns, samples, located } = layout
  const numbers = (field: ImportField) => (located.indexes.get(field) ?? []).map((index) => index + 1)
  return {
    delimiter: delimiter && delimiterNames[delimiter],
    hasHeader: headerLine !== null,
    headerLine,
    columns: columns.slice(0, maximumColumns).map(({ name }, index) => ({
      name,
      values: samples.map((row) => (row[index] ?? '').slice(0, maximumShownName).toWellFormed()),
    })),
    questions: located.questions.map(({ field, columns: possible }) => ({
      field,
      columns: possible.map((index) => index + 1),
    })),
    categories: categoryWords(layout),
    mapping: Object.fromEntries(importFields.map((field) => [field, numbers(field)])) as Record<ImportField, number[]>,
    unknownStatuses: [...findings.unknownStatuses()],
  }
}

/** The words in the columns of the category, the most frequent first. */
function categoryWords({ located, columns }: Layout): { word: string; rows: number }[] {
  const counts = new Map<string, number>()
  for (const index of located.indexes.get('category') ?? []) {
    for (const [word, count] of columns[index]?.words ?? []) counts.set(word, (counts.get(word) ?? 0) + count)
  }
  const words = [...counts].map(([word, count]) => ({ word, rows: count }))
  return words.sort((a, b) => b.rows - a.rows).slice(0, maximumWords)
}
