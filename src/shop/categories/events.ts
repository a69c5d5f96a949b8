/** The events of categories. */

import { changeEvent, type EventDeclarations, event } from '../../access/events/declare.ts'
import { Category, MergedCategory } from './schemas.ts'

export const categoryEvents = {
  'category.created': event(Category, 'A category was added. Categories that an import adds have no such event.'),
  'category.updated': changeEvent(Category, 'A category was named.', { name: 'Dogs' }),
  'category.deleted': event(Category, 'A category without animals was deleted.'),
  'category.merged': event(
    MergedCategory,
    'A category was merged into another, and no longer exists. Its animals moved there; there is no event for each of them.',
  ),
} satisfies EventDeclarations
