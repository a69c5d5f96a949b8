/** Animals: listing and adding, fetching one while that lasts, changing and removing. */

import { Type } from '@sinclair/typebox'
import type { App } from '../app.ts'
import { feature } from '../http/feature.ts'
import { json, needs } from '../http/input.ts'
import { createPageCache, pageOf, sendPage, type WrittenPage, writePage } from '../http/page.ts'
import { assertMatch, sendChanged, sendRecord } from '../http/representation.ts'
import { idParameter } from '../http/validation.ts'
import { AppError } from '../lib/error.ts'
import { bodyRefusals, operation } from '../openapi/operation.ts'
import { changePet, removePet } from './change.ts'
import { announceRemoval, assertNotRemoved } from './deprecation.ts'
import { storedName } from './rules.ts'
import { NewPet, Pet, PetChange, PetQuery, Pets } from './schemas.ts'
import type { PetFilter, PetRow } from './store.ts'

const path = '/v1/pets'
const petId = Type.Object({ petId: idParameter('Id of the animal.') })

/** What cursors are named by: one of a list in the other order would lead astray. */
const lists = { asc: 'pets', desc: 'pets-newest' }

export const petRoutes = (app: Pick<App, 'pets' | 'orders' | 'posting' | 'writer' | 'clock' | 'announcements'>) => {
  const { pets, posting, writer, clock, announcements } = app

  function writeList(query: PetQuery): WrittenPage {
    const { order = 'asc', status, categoryId, q } = query
    const { limit, after } = pageOf(query, lists[order])
    const filter: PetFilter = {
      ...(status === undefined ? {} : { status }),
      ...(categoryId === undefined ? {} : { categoryId: Number(categoryId) }),
      ...(q === undefined ? {} : { q }),
    }
    const range = {
      order,
      above: order === 'asc' ? (after ?? 0) : 0,
      below: order === 'desc' ? (after ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
    }
    const read = (most: number) => {
      const { pets: records, searchedTo } = pets.page(filter, range, most)
      return { records, searchedTo }
    }
    return writePage({
      path,
      list: lists[order],
      query: { ...filter, ...(order === 'desc' ? { order } : {}) },
      limit,
      read,
    })
  }

  const pages = createPageCache(announcements, 'pets', writeList)

  // Handlers end in `return name`, not in `return call()`: Elysia takes the latter for asynchronous code.
  return feature({ prefix: '/pets', tags: ['animals'] })
    .get(
      '',
      ({ query, request, set }) => {
        const { limit, status, categoryId, order, cursor, q } = query
        const page = pages.get(`${limit} ${status} ${categoryId} ${order} ${cursor} ${q}`, query)
        const answer = sendPage(request, set, page)
        return answer
      },
      {
        transform: needs('pets:read', 'limit', 'cursor', 'status', 'categoryId', 'q', 'order'),
        query: PetQuery,
        detail: operation({
          id: 'listPets',
          summary: 'List animals',
          description:
            'Returns a page of animals, by id ascending unless told otherwise. While there are more, `Link` holds the address of the next page. All filters combine.',
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
      ({ body, request, set, caller, bodyDigest }) =>
        posting.post({ request, set, caller, bodyDigest }, () => {
          const { name, categoryId, status = 'available' } = body
          const pet = pets.add({ name: storedName(name), categoryId, status })
          return { body: pet, location: `${path}/${pet.id}` }
        }),
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
          isRepeatable: true,
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
        params: petId,
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
    .patch(
      '/:petId',
      async ({ params, body, request, set }) => {
        const unchanged = (pet: PetRow) => assertMatch(request, pet)
        const pet = await writer.write(() => changePet(app, Number(params.petId), body, unchanged))
        return sendChanged(set, pet)
      },
      {
        parse: json('pets:write', 'application/json', 'application/merge-patch+json'),
        params: petId,
        body: PetChange,
        detail: operation({
          id: 'updatePet',
          summary: 'Change an animal',
          description:
            'Changes what is given and leaves the rest. The status can go from available to pending or sold, from pending to available or sold, and from sold back to available; that of an animal that an open order holds changes through the order alone.',
          scope: 'pets:write',
          status: 200,
          answer: 'The animal as it is now.',
          schema: Pet,
          headers: ['ETag'],
          refusals: [...bodyRefusals, 'not_found', 'conflict', 'invalid_status_transition'],
          isGuarded: true,
          stability: 'beta',
        }),
      },
    )
    .delete(
      '/:petId',
      async ({ params, request, set }) => {
        await writer.write(() => removePet(app, Number(params.petId), (pet) => assertMatch(request, pet)))
        set.status = 204
        return ''
      },
      {
        transform: needs('pets:write'),
        params: petId,
        detail: operation({
          id: 'deletePet',
          summary: 'Remove an animal',
          description: 'Removes an animal that no open order holds. Orders outlive it.',
          scope: 'pets:write',
          status: 204,
          answer: 'The animal is gone.',
          refusals: ['not_found', 'conflict'],
          isGuarded: true,
          stability: 'beta',
        }),
      },
    )
}
