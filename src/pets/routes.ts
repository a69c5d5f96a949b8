/** The handlers of the endpoints of animals. */

import type { App } from '../app-parts.ts'
import { mount } from '../endpoint/mount.ts'
import { AppError } from '../lib/error.ts'
import { changePet, removePet } from './change.ts'
import { petEndpoints } from './endpoints.ts'
import { storedName } from './rules.ts'

export const petRoutes = (app: Pick<App, 'pets' | 'orders' | 'endpointParts'>) => {
  const { pets } = app
  return mount(
    petEndpoints,
    {
      listPets({ query, after, most }) {
        const { order = 'asc', ids, ...filter } = query
        const range = {
          order,
          above: order === 'asc' ? (after ?? 0) : 0,
          below: order === 'desc' ? (after ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
        }
        if (ids !== undefined) return pets.pageOfIds(idsOf(ids), filter, range, most)
        const { pets: records, searchedTo } = pets.page(filter, range, most)
        return { records, searchedTo }
      },
      createPet({ body: { name, categoryId, status = 'available' } }) {
        const pet = pets.add({ name: storedName(name), categoryId, status })
        return { body: pet, location: `/v1/pets/${pet.id}` }
      },
      getPet({ params: { petId } }) {
        const pet = pets.find(petId)
        if (!pet) throw new AppError('not_found', `There is no animal ${petId}.`)
        return pet
      },
      updatePet: ({ params, body, assertPreconditions }) => changePet(app, params.petId, body, assertPreconditions),
      deletePet: ({ params, assertPreconditions }) => removePet(app, params.petId, assertPreconditions),
    },
    app.endpointParts,
  )
}

function idsOf(list: string): number[] {
  return [...new Set(list.split(',').map(Number))]
}
