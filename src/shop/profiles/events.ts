/** The event of profiles. */

import { type EventDeclarations, event } from '../../access/events/declare.ts'
import { UpdatedProfile } from './schemas.ts'

export const profileEvents = {
  'profile.updated': event(UpdatedProfile, 'The profile of an animal was changed.'),
} satisfies EventDeclarations
