/** The events of deploys. */

import { type EventDeclarations, event } from '../../access/events/declare.ts'
import { Deploy } from './schemas.ts'

export const deployEvents = {
  'deploy.live': event(Deploy, 'A project serves another deploy: a new one, or an earlier one again.'),
} satisfies EventDeclarations
