/** The animals of the specification: listing, adding, and fetching one while that lasts. */

import { Type } from '@sinclair/typebox'
import type { App } from '../app.ts'
import { feature } from '../http/feature.ts'
import { json, needs } from '../http/input.ts'
import { createPageCache, pageOf, sendPage, type WrittenPage, writePage } from '../http/page.ts'
import { sendMade, sendRecord } from '../http/representation.ts'
import { pathId } from '../http/validation.ts'
import { AppError } from '../lib/error.ts'
import { bodyRefusals, operation } from '../openapi/operation.ts'
import { announceRemoval, assertNotRemoved } from './deprecation.ts'
import { storedName } from './rules.ts'
import { NewPet, Pet, PetQuery, Pets } from './schemas.ts'
import type { PetFilter } from './store.ts'

const list = 'pets'

export const petRoutes = ({ pets, writer, clock }: Pick<App, 'pets' | 'writer' | 'clock'>) => {
  function writeList(query: PetQuery): WrittenPage {
    const { limit, after = 0 } = pageOf(query, list)
    const filter: PetFilter = query.status === undefined ? {} : { status: query.status }
    return writePage({
      path: '/v1/pets',
      list,
      query: { ...filter },
      limit,
      read: (most) => pets.page(filter, after, most),
    })
  }

  const pages = createPageCache(pets.version, writeList)

  // Handlers end in `return name`, not in `return call()`: Elysia takes the latter for asynchronous code.
  return feature({ prefix: '/pets', tags: ['animals'] })
    .get(
      '',
      ({ query, request, set }) => {
        const { limit = '', status = '', cursor = '' } = query
        const page = pages.get(`${limit} ${status} ${cursor}`, query)
        const answer = sendPage(request, set, page)
        return answer
      },
      {
        transform: needs('pets:read', 'limit', 'status', 'cursor'),
        query: PetQuery,
        detail: operation({
          id: 'listPets',
          summary: 'List animals',
          description:
            'Returns a page of animals, by id ascending. While there are more, `Link` holds the address of the next page.',
          scope: 'pets:read',
          status: 200,
          answer: 'A page of animals.',
          schema: Pets,
          conditional: true,
          headers: ['Link'],
          refusals: ['invalid_parameter', 'invalid_cursor'],
        }),
      },
    )
    .post(
      '',
      async ({ body, set }) => {
        const pet = await writer.write(() =>
          pets.add({ name: storedName(body.name), categoryId: body.categoryId, status: body.status ?? 'available' }),
        )
        return sendMade(set, pet, `/v1/pets/${pet.id}`)
      },
      {
        parse: json('pets:write', 'application/json'),
        body: NewPet,
        detail: operation({
          id: 'createPet',
          summary: 'Add an animal',
          description: 'Adds an animal. When this is answered, the animal is on disk.',
          scope: 'pets:write',
          status: 201,
          answer: 'The animal, with the id that was assigned to it.',
          schema: Pet,
          headers: ['ETag', 'Location'],
          refusals: bodyRefusals,
        }),
      },
    )
    .get(
      '/:petId',
      ({ params, request, set }) => {
        assertNotRemoved(clock)
        const pet = pets.find(Number(params.petId))
        if (!pet) throw new AppError('not_found', `There is no animal ${params.petId}.`)
        const answer = sendRecord(request, set, pet)
        return answer
      },
      {
        transform: [announceRemoval, needs('pets:read')],
        params: Type.Object({ petId: pathId('Id of the animal.') }),
        detail: operation({
          id: 'getPet',
          summary: 'Fetch an animal',
          description:
            'Returns one animal. **Deprecated**: removed on 5 December 2030. Use `GET /pets` with a `status` filter instead.',
          scope: 'pets:read',
          status: 200,
          answer: 'The animal.',
          schema: Pet,
          conditional: true,
          everyHeader: ['Deprecation', 'Sunset', 'SuccessorLink'],
          refusals: ['not_found', 'endpoint_removed'],
          deprecated: true,
        }),
      },
    )
}
