/** The endpoints of the feed of events. */

import { endpoint, eventStream, page, resource } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { readerScopes } from './rules.ts'
import { Event, Events, eventListParameters, eventStreamParameters, exampleEvent } from './schemas.ts'

export const eventEndpoints = {
  listEvents: endpoint({
    method: 'GET',
    path: '/events',
    tag: 'events',
    summary: 'List events',
    description:
      'Returns a page of changes, the oldest first. A client that follows the store polls with `after`, the id of the last event that it has; `order=desc&limit=1` returns the event to begin with.\n\nEvents are kept for 30 days, at most the last 100,000 and 64 MiB. An `after` that is older, or whose event was lost, gets a 410; the client then has to read the records again. A key sees the events of the records that it may read.',
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
  streamEvents: endpoint({
    method: 'GET',
    path: '/events/stream',
    tag: 'events',
    summary: 'Follow events',
    description: [
      'Sends each event as a message of a stream of server-sent events, within a quarter of a second of being stored: `id`, `event` (its type) and `data` (the event as `listEvents` returns it). The stream begins after `Last-Event-ID`, else after `after`, with the stored events, else with the next event.',
      'A comment every 15 seconds keeps the connection open; its `id` is the last event that was examined. A stream ends after five minutes, when its key is revoked, changed, banned or expires, when the service stops, and when the client leaves 1 MiB unread: connect again with the last `id` as `Last-Event-ID`.',
      'Opening a stream counts as one request. Before its five minutes end it sends `retry: 100`; connecting again with `Last-Event-ID` within 30 seconds counts towards no limit. An account has at most 10 streams, and the service 200: after a 429 `too_many_streams`, try again when `Retry-After` has passed.',
    ].join('\n\n'),
    scope: readerScopes,
    query: eventStreamParameters,
    success: eventStream({
      description: 'The stream.',
      example: `retry: 2000\nid: 0\n\nid: ${exampleEvent.id}\nevent: ${exampleEvent.type}\ndata: ${JSON.stringify(exampleEvent)}\n\n: heartbeat\nid: ${exampleEvent.id}\n\n`,
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
    success: resource(Event, { description: 'The event.' }),
    stability: 'beta',
  }),
}
