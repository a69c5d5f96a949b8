/** How the owner wants a file to be read. */

import { AppError } from '../../../lib/error.ts'
import { type Columns, parseColumns } from './columns.ts'
import type { Encoding } from './encoding.ts'
import { parseCategories, parseStatuses, type Statuses, type Words } from './words.ts'

/** The parameters of an import that are about its file. */
export interface ReadingParameters {
  /** Mappings as `parseColumns`, `parseStatuses` and `parseCategories` take them. */
  readonly columns?: string | undefined
  readonly statuses?: string | undefined
  readonly categories?: string | undefined
  /** The category of all animals. */
  readonly category?: string | undefined
  /** The field whose empty cells have the value above them. */
  readonly fill?: 'category' | undefined
  /** The columns that become attributes, such as `A|B`, or `all` that are not read otherwise. */
  readonly attributes?: string | undefined
  /** Whether rows with the number of an animal change it, so that they need neither a name nor a category. */
  readonly changesAnimals?: boolean | undefined
  /** Whether a line of a CSV file names its columns; guessed if it is undefined. */
  readonly hasHeader?: boolean | undefined
  /** The number of that line, from 1; guessed if it is undefined. */
  readonly headerLine?: number | undefined
  /** The encoding of a text without a byte order mark; guessed if it is undefined. */
  readonly encoding?: Encoding | undefined
  /** The name of the sheet of a spreadsheet; the first one if it is undefined. */
  readonly sheet?: string | undefined
}

export interface Reading extends Omit<ReadingParameters, 'columns' | 'statuses' | 'categories'> {
  readonly columns: Columns
  /** The file's words for a status, and for a category. */
  readonly statuses: Statuses
  readonly categories: Words
}

/** Throws `invalid_parameter` for a mapping that is invalid, and for parameters that contradict each other. */
export function parseReading({ columns, statuses, categories, ...others }: ReadingParameters): Reading {
  const { category, hasHeader, headerLine } = others
  const reading = {
    ...others,
    columns: parseColumns(columns === undefined ? [] : [columns]),
    statuses: parseStatuses(statuses === undefined ? [] : [statuses]),
    categories: parseCategories(categories === undefined ? [] : [categories]),
  }
  const { chosen } = reading.columns
  if (category !== undefined && (chosen.has('category') || chosen.has('categoryId'))) {
    throw new AppError(
      'invalid_parameter',
      'category: choose a column for the category, or one category for all animals.',
    )
  }
  if (headerLine !== undefined && hasHeader === false) {
    throw new AppError('invalid_parameter', 'headerLine: a file without a header has no such line.')
  }
  return reading
}
