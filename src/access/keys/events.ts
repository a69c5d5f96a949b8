/** The events of API keys. None has the key itself. */

import { changeEvent, type EventDeclarations, event } from '../events/declare.ts'
import { Key } from './schemas.ts'

export const keyEvents = {
  'key.created': event(Key, 'A key was issued, also by rolling another.'),
  'key.updated': changeEvent(Key, 'A key was changed, or its ban was lifted.', { name: 'Website' }),
  'key.rolled': event(Key, 'A key was rolled into a new one: it works until `expiresAt`.'),
  'key.revoked': event(Key, 'A key was revoked.'),
  'key.banned': event(Key, 'A key kept sending requests after a 429, and is banned until `bannedUntil`.'),
  'key.expiring': event(
    Key,
    'A key that was not rolled expires within 14 days. It is reported once for each expiry time.',
  ),
} satisfies EventDeclarations
