/** The events of animals. */

import { changeEvent, type EventDeclarations, event } from '../../access/events/declare.ts'
import { Pet } from './schemas.ts'

export const petEvents = {
  'pet.created': event(Pet, 'An animal was added. The animals of an import are told by `import.completed` alone.'),
  'pet.updated': changeEvent(Pet, 'An animal was changed, also by a step of its order.', { status: 'pending' }),
  'pet.deleted': event(Pet, 'An animal was deleted.'),
  'pet.restored': event(Pet, 'An animal that was deleted is there again.'),
} satisfies EventDeclarations
