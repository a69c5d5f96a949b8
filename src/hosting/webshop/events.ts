/** The event of the web shop. */

import { type EventDeclarations, event } from '../../access/events/declare.ts'
import { UpdatedWebsite } from './schemas.ts'

export const websiteEvents = {
  'website.updated': event(UpdatedWebsite, 'The web shop was created, changed or deleted.'),
} satisfies EventDeclarations
