/** The handlers of the endpoints of animals. */

import type { StoreAccountStores } from '../../access/accounts/store-account.ts'
import type { AuditStore } from '../../access/audit/store.ts'
import type { EventWriter } from '../../access/events/log.ts'
import { changedMembers } from '../../access/events/rules.ts'
import { mount } from '../../api/mount.ts'
import type { Principal } from '../../api/principal.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { type IdRange, pageRange, within } from '../../lib/steps/collect.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import type { Counter } from '../orders/counter.ts'
import type { OrderStore } from '../orders/store.ts'
import { addPetsToAudit, isOwnerOrCommand } from './audit.ts'
import { type BatchResult, changePets, inParts } from './changes/batch.ts'
import { addPet, changePet, deletePet, type PetStores, restorePet } from './changes/change.ts'
import type { DeletedPetStore } from './changes/deleted-pets.ts'
import { countPets } from './count.ts'
import { petEndpoints, sunsetMs } from './endpoints.ts'
import { storedName } from './rules.ts'
import { sortValue } from './sorted-pages.ts'
import type { PetStore } from './store.ts'
import type { PetRow } from './table.ts'

export const petRoutes = (
  parts: StoreAccountStores & {
    readonly pets: PetStore
    readonly deletedPets: DeletedPetStore
    readonly orders: OrderStore
    readonly profiles: PetStores['profiles']
    readonly counter: Counter
    readonly audit: AuditStore
    readonly imports: {
      /** The ids of the animals that an import has added, as a range; an empty one if there is none. */
      petIds(importId: number): Pick<IdRange, 'above' | 'below'>
    }
    readonly events: EventWriter
    readonly turns: Turns
    readonly writer: Writer
    readonly clock: Clock
    readonly endpointParts: EndpointParts
  },
) => {
  const { pets, imports, clock } = parts

  const addToAudit = (principal: Principal, action: `pet.${string}`, details: object) =>
    addPetsToAudit(parts, principal, action, details)

  return mount(
    petEndpoints,
    {
      listPets({ query, cursorId, cursorValue, fetchLimit }) {
        const { order = 'asc', sort = 'id', importId, ...filter } = query
        const imported = importId === undefined ? anyId : imports.petIds(importId)
        if (sort !== 'id') {
          if (filter.q !== undefined || filter.ids !== undefined) throw sortedSearch()
          const range = within(pageRange(order, undefined), imported)
          const start = cursorId === undefined ? undefined : { id: cursorId, value: cursorValue ?? '' }
          const { records, searchedTo } = pets.sortedPage(sort, { filter, range }, start, fetchLimit)
          return { records, sortedBy: (pet: PetRow) => sortValue(sort, pet), searchedTo }
        }
        return pets.page(filter, within(pageRange(order, cursorId), imported), fetchLimit)
      },
      countPets: ({ query }) => countPets(parts, query, (range, limit) => pets.page(query, range, limit)),
      createPet({ body: { name, categoryId, status = 'available' }, principal }) {
        const pet = addPet(parts, { name: storedName(name), categoryId, status })
        addToAudit(principal, 'pet.created', detailsOf(pet))
        // `getPet` ends at its sunset.
        const isGone = clock.now() >= sunsetMs
        return { body: pet, location: isGone ? `/v1/pets?ids=${pet.id}` : `/v1/pets/${pet.id}` }
      },
      getPet({ params: { petId } }) {
        const pet = pets.find(petId)
        if (!pet) throw new AppError('not_found', `There is no animal ${petId}.`)
        return pet
      },
      updatePet({ params: { petId }, body, principal, assertPreconditions }) {
        const before = isOwnerOrCommand(principal) ? pets.find(petId) : undefined
        const pet = changePet(parts, petId, body, clock.now(), assertPreconditions)
        const previous = before && changedMembers(before, pet)
        if (previous) addToAudit(principal, 'pet.changed', { ...detailsOf(pet), previous })
        return pet
      },
      deletePet({ params: { petId }, principal, assertPreconditions }) {
        const pet = deletePet(parts, petId, clock.now(), assertPreconditions)
        addToAudit(principal, 'pet.deleted', detailsOf(pet))
      },
      restorePet({ params: { petId }, principal, assertPreconditions }) {
        const pet = restorePet(parts, petId, clock.now(), assertPreconditions)
        addToAudit(principal, 'pet.restored', detailsOf(pet))
        return pet
      },
      changePets({ body: { ids, ...action }, principal, once, asRequest }) {
        const change = (part: readonly number[]) => asRequest(() => changePets(parts, part, action, clock.now()))
        const withAuditEntry = (results: readonly BatchResult[]) => {
          const petIds = results.flatMap(({ id, done }) => (done ? id : []))
          const verb = action.delete ? 'deleted' : action.restore ? 'restored' : 'changed'
          if (petIds.length > 0) addToAudit(principal, `pet.${verb}`, { petIds, ...action.change })
          return results
        }
        return once((commit) => inParts(parts, ids, change, (all) => commit(() => withAuditEntry(all()))))
      },
    },
    parts.endpointParts,
  )
}

const sortedSearch = () =>
  new AppError('invalid_parameter', 'Leave out sort with q and with ids: their results are sorted by id.')

/** The details of an animal in the audit log. */
const detailsOf = ({ id, ...members }: PetRow) => ({ petId: id, ...members })

const anyId = pageRange('asc', undefined)
