/** The endpoints of animals. */

import {
  created,
  type Deprecation,
  endpoint,
  json,
  mergePatch,
  page,
  record,
  removed,
  updated,
} from '../endpoint/declare.ts'
import { idParameter } from '../endpoint/parameters.ts'
import { NewPet, Pet, PetChange, Pets, petFilters } from './schemas.ts'

const params = { petId: idParameter('Id of the animal.') }

/** Unix milliseconds of 5 December 2030, 00:00 UTC. */
export const sunsetMs = Date.UTC(2030, 11, 5)

/** The end of `getPet`: deprecated since 5 December 2025 (RFC 9745), removed five years later (RFC 8594). */
const removal: Deprecation = {
  headers: {
    Deprecation: '@1764892800',
    Sunset: new Date(sunsetMs).toUTCString(),
    Link: '</v1/pets>; rel="successor-version"',
  },
  sunsetMs,
  message: 'This endpoint was removed on 5 December 2030. Use GET /v1/pets?ids= instead.',
}

export const petEndpoints = {
  listPets: endpoint({
    method: 'GET',
    path: '/pets',
    tag: 'animals',
    summary: 'List animals',
    description:
      'Returns a page of animals, by id. All filters combine. While there are more, `Link` holds the address of the next page; a search with `q` can end a page early.',
    scope: 'pets:read',
    query: petFilters,
    success: page(Pets, {
      description: 'A page of animals.',
      // A cursor is valid only in the order of its list.
      cursorName: ({ order }) => (order === 'desc' ? 'pets-newest' : 'pets'),
      cachedUntil: ['pets'],
      singleRecordParameter: 'ids',
    }),
    headers: ['XRecordETag'],
  }),
  createPet: endpoint({
    method: 'POST',
    path: '/pets',
    tag: 'animals',
    summary: 'Add an animal',
    description: 'Adds an animal. When the response arrives, the animal is on disk.',
    scope: 'pets:write',
    body: json(NewPet),
    success: created(Pet, { description: 'The animal, with the id that was assigned to it.' }),
  }),
  getPet: endpoint({
    method: 'GET',
    path: '/pets/{petId}',
    params,
    tag: 'animals',
    summary: 'Fetch an animal',
    description:
      'Returns one animal. **Deprecated**: removed on 5 December 2030. Use `GET /pets?ids=42` instead, or `GET /pets` with a `status` filter.',
    scope: 'pets:read',
    success: record(Pet, { description: 'The animal.' }),
    deprecation: removal,
  }),
  updatePet: endpoint({
    method: 'PATCH',
    path: '/pets/{petId}',
    params,
    tag: 'animals',
    summary: 'Change an animal',
    description:
      'Changes the members that are sent and leaves the others unchanged. The status can change from available to pending or sold, from pending to available or sold, and from sold back to available. The status of an animal that an open order reserves changes only through the order.',
    scope: 'pets:write',
    body: mergePatch(PetChange),
    success: updated(Pet, { description: 'The animal as it is now.' }),
    errors: ['conflict', 'invalid_status_transition'],
    stability: 'beta',
  }),
  deletePet: endpoint({
    method: 'DELETE',
    path: '/pets/{petId}',
    params,
    tag: 'animals',
    summary: 'Delete an animal',
    description: 'Deletes an animal that no open order reserves. Its orders remain.',
    scope: 'pets:write',
    success: removed({ description: 'The animal is deleted.' }),
    errors: ['conflict'],
    stability: 'beta',
  }),
}
