/** The endpoints of profiles. */

import { endpoint, gathered, json, mergePatch, page, performed, resource, updated } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { PetCount } from '../pets/schemas.ts'
import {
  assertDifferentLabels,
  Profile,
  ProfileBatch,
  ProfileBatchResults,
  ProfileChange,
  Profiles,
  profileFilters,
  profileListParameters,
} from './schemas.ts'

const params = { petId: idParameter('Id of the animal.') }

/** The ETag does not cover the animal, which has its own. */
const untagged = ['pet']

export const profileEndpoints = {
  listProfiles: endpoint({
    method: 'GET',
    path: '/pets/profiles',
    tag: 'animals',
    summary: 'List profiles',
    description:
      'Returns a page of animals with their profiles, by id. With `q`, `sex`, `published` or `lacks` a page can end early: follow `Link`.',
    scope: 'pets:read',
    query: profileListParameters,
    success: page(Profiles, {
      description: 'A page of profiles.',
      cursorName: ({ order }) => (order === 'desc' ? 'profiles-newest' : 'profiles'),
      cachedUntil: ['pets', 'profiles'],
      idOrder: ({ order }) => (order === 'desc' ? 'desc' : 'asc'),
    }),
    stability: 'beta',
  }),
  countProfiles: endpoint({
    method: 'GET',
    path: '/pets/profiles/count',
    tag: 'animals',
    summary: 'Count profiles',
    description:
      'Counts the animals that a list of profiles with the same filters has. With `q`, `sex`, `published` or `lacks`, counting stops at 10,000 animals, or earlier if it takes too long; then `exact` is false and there are at least `count`.',
    scope: 'pets:read',
    query: profileFilters,
    success: gathered(PetCount, { description: 'The number of animals.' }),
    stability: 'beta',
  }),
  getProfile: endpoint({
    method: 'GET',
    path: '/pets/{petId}/profile',
    params,
    tag: 'animals',
    summary: 'Fetch the profile of an animal',
    description: 'Returns the animal with its profile. Its ETag does not cover `pet`.',
    scope: 'pets:read',
    success: resource(Profile, {
      description: 'The profile.',
      untagged,
      cachedUntil: ['pets', 'profiles'],
      idParameter: 'petId',
    }),
    stability: 'beta',
  }),
  updateProfile: endpoint({
    method: 'PATCH',
    path: '/pets/{petId}/profile',
    params,
    tag: 'animals',
    summary: 'Change the profile of an animal',
    description:
      "Changes the members that are sent and leaves the others unchanged; null removes a value. No other animal may have the number, except deleted ones. A price needs the store's currency (`PATCH /store/settings`).",
    scope: 'pets:write',
    body: mergePatch(ProfileChange, assertDifferentLabels),
    success: updated(Profile, { description: 'The profile as it is now.', untagged }),
    errors: ['conflict'],
    stability: 'beta',
  }),
  changeProfiles: endpoint({
    method: 'POST',
    path: '/pets/profiles/batch',
    tag: 'animals',
    summary: 'Change the profiles of several animals',
    description:
      'Changes the profiles of up to 100 animals by the same rules as alone: any members except `number` and `microchip`. A profile for which that is not possible is left unchanged; its result has the error code and does not affect the others.',
    scope: 'pets:write',
    body: json(ProfileBatch, ({ change }) => assertDifferentLabels(change)),
    success: performed(ProfileBatchResults, {
      description: 'A result for each animal.',
      isUnconditional: true,
      inSteps: true,
    }),
    stability: 'beta',
  }),
}
