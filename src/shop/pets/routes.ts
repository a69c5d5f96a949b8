/** The handlers of the endpoints of animals. */

import type { EventWriter } from '../../access/events/log.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { maximumIds } from '../../api/schemas.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { type IdRange, pageRange, within } from '../../lib/steps/collect.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import type { OrderStore } from '../orders/store.ts'
import { changePets, inParts } from './changes/batch.ts'
import { addPet, changePet, deletePet, restorePet } from './changes/change.ts'
import type { DeletedPetStore } from './changes/deleted-pets.ts'
import { countPets } from './count.ts'
import { petEndpoints, sunsetMs } from './endpoints.ts'
import { storedName } from './rules.ts'
import { sortValue } from './sorted-pages.ts'
import type { PetStore } from './store.ts'
import type { PetRow } from './table.ts'

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
      listPets({ query, after, afterValue, most }) {
        const { order = 'asc', sort = 'id', ids, importId, ...filter } = query
        const imported = importId === undefined ? anyId : imports.petIds(importId)
        if (sort !== 'id') {
          if (filter.q !== undefined || ids !== undefined) throw sortedSearch()
          const range = within(pageRange(order, undefined), imported)
          const start = after === undefined ? undefined : { id: after, value: afterValue ?? '' }
          const { pets: records, searchedTo } = pets.sortedPage(sort, { filter, range }, start, most)
          return { records, sortedBy: (pet: PetRow) => sortValue(sort, pet), searchedTo }
        }
        const range = within(pageRange(order, after), imported)
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

const sortedSearch = () =>
  new AppError(
    'invalid_parameter',
    'sort must be left out, or be id, with q and with ids: what is found is sorted by id.',
  )

const anyId = pageRange('asc', undefined)

function idsOf(list: string): number[] {
  return [...new Set(list.split(',').map(Number))]
}
