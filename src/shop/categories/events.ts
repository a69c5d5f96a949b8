/** The events of categories. */

import { changeEvent, type EventDeclarations, event } from '../../access/events/declare.ts'
import { Category } from './schemas.ts'

export const categoryEvents = {
  'category.created': event(Category, 'A category was added. Those that an import adds have no events of their own.'),
  'category.updated': changeEvent(Category, 'A category was named.', { name: 'Dogs' }),
} satisfies EventDeclarations
