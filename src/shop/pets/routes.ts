/** The handlers of the endpoints of animals. */

import type { EventWriter } from '../../access/events/log.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { maximumIds } from '../../api/schemas.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { type IdRange, pageRange } from '../../lib/steps/collect.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import type { OrderStore } from '../orders/store.ts'
import { changePets, inParts } from './changes/batch.ts'
import { addPet, changePet, deletePet, restorePet } from './changes/change.ts'
import type { DeletedPetStore } from './changes/deleted-pets.ts'
import { countPets } from './count.ts'
import { petEndpoints, sunsetMs } from './endpoints.ts'
import { storedName } from './rules.ts'
import type { PetStore } from './store.ts'

export interface PetParts {
  readonly pets: PetStore
  readonly deletedPets: DeletedPetStore
  readonly orders: OrderStore
  readonly imports: {
    /** The ids of the animals that an import has added, as a range; an empty one if there is none. */
    petIds(importId: number): Pick<IdRange, 'above' | 'below'>
  }
  readonly events: EventWriter
  readonly turns: Turns
  readonly writer: Writer
  readonly clock: Clock
  readonly endpointParts: EndpointParts
}

export const petRoutes = (app: PetParts) => {
  const { pets, imports, clock } = app
  return mount(
    petEndpoints,
    {
      listPets({ query, after, most }) {
        const { order = 'asc', ids, importId, ...filter } = query
        const range = within(pageRange(order, after), importId === undefined ? anyId : imports.petIds(importId))
        if (ids !== undefined) return pets.pageOfIds(idsOf(ids), filter, range, most)
        const { pets: records, searchedTo } = pets.page(filter, range, most)
        return { records, searchedTo }
      },
      async countPets({ query: { ids, ...filter } }) {
        if (ids === undefined) return countPets(app, filter)
        return { count: pets.pageOfIds(idsOf(ids), filter, anyId, maximumIds).length, exact: true }
      },
      createPet({ body: { name, categoryId, status = 'available' } }) {
        const pet = addPet(app, { name: storedName(name), categoryId, status })
        // `getPet` ends at its sunset.
        const isGone = clock.now() >= sunsetMs
        return { body: pet, location: isGone ? `/v1/pets?ids=${pet.id}` : `/v1/pets/${pet.id}` }
      },
      getPet({ params: { petId } }) {
        const pet = pets.find(petId)
        if (!pet) throw new AppError('not_found', `There is no animal ${petId}.`)
        return pet
      },
      updatePet: ({ params, body, assertPreconditions }) => changePet(app, params.petId, body, assertPreconditions),
      deletePet: ({ params, assertPreconditions }) => deletePet(app, params.petId, clock.now(), assertPreconditions),
      restorePet: ({ params, assertPreconditions }) => restorePet(app, params.petId, clock.now(), assertPreconditions),
      changePets({ body: { ids, ...action }, once, asRequest }) {
        const change = (part: readonly number[]) => asRequest(() => changePets(app, part, action, clock.now()))
        return once((commit) => inParts(app, ids, change, commit))
      },
    },
    app.endpointParts,
  )
}

const anyId = pageRange('asc', undefined)

/** The part of a range that is also in another. */
function within({ order, above, below }: IdRange, other: Pick<IdRange, 'above' | 'below'>): IdRange {
  return { order, above: Math.max(above, other.above), below: Math.min(below, other.below) }
}

function idsOf(list: string): number[] {
  return [...new Set(list.split(',').map(Number))]
}
