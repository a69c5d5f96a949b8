/** The events of animals. */

import { changeEvent, type EventDeclarations, event } from '../../access/events/declare.ts'
import { Pet } from './schemas.ts'

export const petEvents = {
  'pet.created': event(
    Pet,
    'An animal was added. An import has one event, `import.completed`, for all of its animals.',
  ),
  'pet.updated': changeEvent(Pet, 'An animal was changed, also by a step of its order.', { status: 'pending' }),
  'pet.deleted': event(Pet, 'An animal was deleted.'),
  'pet.restored': event(Pet, 'A deleted animal was restored.'),
} satisfies EventDeclarations
