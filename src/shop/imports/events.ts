/** The events of imports. */

import { type EventDeclarations, event } from '../../access/events/declare.ts'
import { ImportedPets } from './schemas.ts'

export const importEvents = {
  'import.completed': event(ImportedPets, 'An import has added its animals, and its categories.'),
  'import.failed': event(ImportedPets, 'No longer sent: an import that fails adds nothing.'),
  'import.undone': event(
    ImportedPets,
    'An import was undone: its animals are removed, except those that were changed or ordered.',
  ),
} satisfies EventDeclarations
