/** The handlers of the endpoints of the feed of events. */

import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { AppError } from '../../lib/error.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { eventEndpoints } from './endpoints.ts'
import type { EventLog } from './log.ts'
import { selects, typesOf, visibleEvents } from './rules.ts'
import { toEvent } from './schemas.ts'
import type { Followers } from './stream.ts'

interface EventRouteParts {
  readonly events: Pick<EventLog, 'page' | 'find' | 'assertKept'>
  readonly followers: Pick<Followers, 'follow'>
  readonly endpointParts: EndpointParts
}

export const eventRoutes = ({ events, followers, endpointParts }: EventRouteParts) =>
  mount(
    eventEndpoints,
    {
      listEvents({ query: { after, types, order = 'asc' }, principal, cursorId, fetchLimit }) {
        if (after !== undefined && (cursorId !== undefined || order === 'desc')) {
          throw new AppError(
            'invalid_parameter',
            'after begins a list in ascending order: send neither cursor nor order=desc with it.',
          )
        }
        const begin = cursorId ?? after
        if (begin !== undefined && order === 'asc') events.assertKept(begin)
        const filter = visibleEvents(principal, types === undefined ? undefined : typesOf(types.split(',')))
        const { records, searchedTo } = events.page(pageRange(order, begin), filter, fetchLimit)
        return { records: records.map(toEvent), searchedTo }
      },
      streamEvents: ({ query: { after, types }, principal, lastEventId }) =>
        followers.follow({ principal, types: types?.split(','), after: lastEventId ?? after }),
      getEvent({ params: { eventId }, principal }) {
        const event = events.find(eventId)
        if (!event || !selects(visibleEvents(principal), event)) {
          throw new AppError('not_found', `There is no event ${eventId}.`)
        }
        return toEvent(event)
      },
    },
    endpointParts,
  )
