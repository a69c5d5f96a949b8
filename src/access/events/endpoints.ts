/** The endpoints of the feed of events. */

import { endpoint, page, record } from '../../api/declare.ts'
import { idParameter } from '../../api/parameters.ts'
import { readerScopes } from './rules.ts'
import { Event, Events, eventListParameters } from './schemas.ts'

export const eventEndpoints = {
  listEvents: endpoint({
    method: 'GET',
    path: '/events',
    tag: 'events',
    summary: 'List events',
    description:
      'Returns a page of what has changed, the oldest first. A client that follows the store asks again and again with `after`, the last event that it has; `order=desc&limit=1` returns the event to begin with. Events are kept for 30 days, the last 100,000 and 64 MiB at most: an `after` that is older, or whose event was lost, is 410, and the records have to be read again. A key sees the events of the records that it may read.',
    scope: readerScopes,
    query: eventListParameters,
    success: page(Events, {
      description: 'A page of events.',
      // A cursor is valid only in the order of its list.
      cursorName: ({ order }) => (order === 'desc' ? 'events-newest' : 'events'),
      beginParameter: 'after',
    }),
    errors: ['events_expired'],
    stability: 'beta',
  }),
  getEvent: endpoint({
    method: 'GET',
    path: '/events/{eventId}',
    params: { eventId: idParameter('Id of the event.') },
    tag: 'events',
    summary: 'Fetch an event',
    description: 'Returns one event.',
    scope: readerScopes,
    success: record(Event, { description: 'The event.' }),
    stability: 'beta',
  }),
}
