/** The handlers of the endpoints of profiles. */

import type { StoreAccountStores } from '../../access/accounts/store-account.ts'
import type { AuditStore } from '../../access/audit/store.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { type IdRange, pageRange, within } from '../../lib/steps/collect.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import { addPetsToAudit } from '../pets/audit.ts'
import { changeEach, inParts } from '../pets/changes/batch.ts'
import { countPets } from '../pets/count.ts'
import { assertBorn, changeProfile, type ProfileChangeParts } from './change.ts'
import { profileEndpoints } from './endpoints.ts'
import { getProfile, pageOfProfiles } from './read.ts'
import type { Profile } from './schemas.ts'

export const profileRoutes = (
  parts: ProfileChangeParts &
    StoreAccountStores & {
      readonly audit: AuditStore
      readonly imports: {
        /** The ids of the animals that an import has added, as a range; an empty one if there is none. */
        petIds(importId: number): Pick<IdRange, 'above' | 'below'>
      }
      readonly writer: Writer
      readonly turns: Turns
      readonly clock: Clock
      readonly endpointParts: EndpointParts
    },
) =>
  mount(
    profileEndpoints,
    {
      listProfiles({ query: { order = 'asc', importId, ...filter }, cursorId, fetchLimit }) {
        const page = pageRange(order, cursorId)
        const range = importId === undefined ? page : within(page, parts.imports.petIds(importId))
        const { records, searchedTo } = pageOfProfiles(parts, filter, range, fetchLimit)
        return { records, searchedTo, ids: records.map(({ petId }) => petId) }
      },
      countProfiles: ({ query }) =>
        countPets(parts, query, (range, limit) => parts.profiles.idPage(query, range, limit)),
      getProfile: ({ params }) => getProfile(parts, params.petId),
      updateProfile({ params: { petId }, body, principal, assertPreconditions }) {
        const { profile, previous } = changeProfile(parts, petId, body, parts.clock.now(), assertPreconditions)
        if (previous) addPetsToAudit(parts, principal, 'pet.described', { petId, ...body, previous })
        return profile
      },
      changeProfiles({ body: { ids, change }, principal, once, asRequest }) {
        assertBorn(change.birthDate ?? null, parts.clock.now())
        const changeOne = (id: number): { profile: Profile | null } => ({
          profile: changeProfile(parts, id, change, parts.clock.now()).profile,
        })
        const changePart = (part: readonly number[]) => asRequest(() => changeEach(part, changeOne, { profile: null }))
        return once((commit) =>
          inParts(parts, ids, changePart, (all) =>
            commit(() => {
              const results = all()
              const petIds = results.flatMap(({ id, done }) => (done ? id : []))
              if (petIds.length > 0) addPetsToAudit(parts, principal, 'pet.described', { petIds, ...change })
              return results
            }),
          ),
        )
      },
    },
    parts.endpointParts,
  )
