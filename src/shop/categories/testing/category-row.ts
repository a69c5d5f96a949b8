/** Rows of categories for tests, which name only the columns that they are about. */

import type { CategoryRow } from '../store.ts'

/** A category as a new one is, but for these columns. */
export const categoryRow = (columns: Partial<CategoryRow>): CategoryRow => ({ id: 7, name: 'Ferret', ...columns })
