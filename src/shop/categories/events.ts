/** The events of categories. */

import { changeEvent, type EventDeclarations, event } from '../../access/events/declare.ts'
import { Category, MergedCategory } from './schemas.ts'

export const categoryEvents = {
  'category.created': event(Category, 'A category was added. Those that an import adds have no events of their own.'),
  'category.updated': changeEvent(Category, 'A category was named.', { name: 'Dogs' }),
  'category.deleted': event(Category, 'A category without animals was deleted.'),
  'category.merged': event(
    MergedCategory,
    'A category was merged into another: its animals moved there without events of their own, and it is gone.',
  ),
} satisfies EventDeclarations
