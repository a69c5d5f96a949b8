/** The endpoints of animals. */

import {
  created,
  type Deprecation,
  endpoint,
  gathered,
  json,
  mergePatch,
  page,
  performed,
  removed,
  resource,
  updated,
} from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import {
  assertOneAction,
  NewPet,
  Pet,
  PetBatch,
  PetBatchResults,
  PetChange,
  PetCount,
  Pets,
  petFilters,
  petListParameters,
} from './schemas.ts'

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
    description: 'Returns a page of animals. With `q` or `sort` a page can end early: follow `Link`.',
    scope: 'pets:read',
    query: petListParameters,
    success: page(Pets, {
      description: 'A page of animals.',
      // A cursor is valid only in the order of its list.
      cursorName: ({ order, sort = 'id' }) =>
        `${order === 'desc' ? 'pets-newest' : 'pets'}${sort === 'id' ? '' : `-by-${sort}`}`,
      cachedUntil: ['pets'],
      idOrder: ({ order, sort = 'id' }) => (sort !== 'id' ? undefined : order === 'desc' ? 'desc' : 'asc'),
      singleRecordParameter: 'ids',
    }),
    headers: ['XRecordETag'],
  }),
  countPets: endpoint({
    method: 'GET',
    path: '/pets/count',
    tag: 'animals',
    summary: 'Count animals',
    description:
      'Counts the animals that a list with the same filters has. With `q`, counting stops at 10,000 animals, or earlier if it takes too long; then `exact` is false and there are at least `count`.',
    scope: 'pets:read',
    query: petFilters,
    success: gathered(PetCount, { description: 'The number of animals.' }),
    stability: 'beta',
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
    success: resource(Pet, { description: 'The animal.', cachedUntil: ['pets'], idParameter: 'petId' }),
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
  }),
  deletePet: endpoint({
    method: 'DELETE',
    path: '/pets/{petId}',
    params,
    tag: 'animals',
    summary: 'Delete an animal',
    description:
      'Deletes an animal that no open order reserves. Its orders remain. For ten minutes, `POST /pets/{petId}/restore` restores it.',
    scope: 'pets:write',
    success: removed({ description: 'The animal is deleted.' }),
    errors: ['conflict'],
  }),
  restorePet: endpoint({
    method: 'POST',
    path: '/pets/{petId}/restore',
    params,
    tag: 'animals',
    summary: 'Restore a deleted animal',
    description:
      'Restores an animal under its id, as it was when it was deleted, not more than ten minutes ago, unless its import was undone meanwhile. `If-Match` applies to that state.',
    scope: 'pets:write',
    success: performed(Pet, { description: 'The animal.' }),
    errors: ['conflict'],
    stability: 'beta',
  }),
  changePets: endpoint({
    method: 'POST',
    path: '/pets/batch',
    tag: 'animals',
    summary: 'Change several animals',
    description:
      'Changes, deletes or restores up to 100 animals, each by the same rules as alone. An animal for which that is not possible is left unchanged; its result has the error code and does not affect the others.',
    scope: 'pets:write',
    body: json(PetBatch, assertOneAction),
    success: performed(PetBatchResults, {
      description: 'A result for each animal.',
      isUnconditional: true,
      inSteps: true,
    }),
    stability: 'beta',
  }),
}
