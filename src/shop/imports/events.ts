/** The events of imports. */

import { type EventDeclarations, event } from '../../access/events/declare.ts'
import { ImportedPets } from './schemas.ts'

export const importEvents = {
  'import.completed': event(ImportedPets, 'An import has added its animals, and its categories.'),
  'import.failed': event(
    ImportedPets,
    'An import was interrupted or has failed: its animals are removed, except those that were changed or ordered.',
  ),
  'import.undone': event(
    ImportedPets,
    'An import was undone: its animals are removed, except those that were changed or ordered.',
  ),
} satisfies EventDeclarations
