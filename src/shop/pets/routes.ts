/** The handlers of the endpoints of animals. */

import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { maximumIds } from '../../api/schemas.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import type { OrderStore } from '../orders/store.ts'
import { changePets, inParts } from './changes/batch.ts'
import { changePet, deletePet, restorePet } from './changes/change.ts'
import type { DeletedPetStore } from './changes/deleted-pets.ts'
import { countPets } from './count.ts'
import { petEndpoints, sunsetMs } from './endpoints.ts'
import { storedName } from './rules.ts'
import type { PetStore } from './store.ts'

export interface PetParts {
  readonly pets: PetStore
  readonly deletedPets: DeletedPetStore
  readonly orders: OrderStore
  readonly turns: Turns
  readonly writer: Writer
  readonly clock: Clock
  readonly endpointParts: EndpointParts
}

export const petRoutes = (app: PetParts) => {
  const { pets, clock } = app
  return mount(
    petEndpoints,
    {
      listPets({ query, after, most }) {
        const { order = 'asc', ids, ...filter } = query
        const range = pageRange(order, after)
        if (ids !== undefined) return pets.pageOfIds(idsOf(ids), filter, range, most)
        const { pets: records, searchedTo } = pets.page(filter, range, most)
        return { records, searchedTo }
      },
      async countPets({ query: { ids, ...filter } }) {
        if (ids === undefined) return countPets(app, filter)
        return { count: pets.pageOfIds(idsOf(ids), filter, anyId, maximumIds).length, exact: true }
      },
      createPet({ body: { name, categoryId, status = 'available' } }) {
        const pet = pets.add({ name: storedName(name), categoryId, status })
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
      changePets({ body: { ids, ...action }, once }) {
        const change = (part: readonly number[]) => changePets(app, part, action, clock.now())
        return once((commit) => inParts(app, ids, change, commit))
      },
    },
    app.endpointParts,
  )
}

const anyId = pageRange('asc', undefined)

function idsOf(list: string): number[] {
  return [...new Set(list.split(',').map(Number))]
}
