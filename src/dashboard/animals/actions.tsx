/** What can be done with an animal, each with the message that follows. */

import { navigate } from 'wouter/use-browser-location'
import { api, bodyOf } from '../api/client.ts'
import { showFailure } from '../ui/feedback/notices.ts'
import { showUndo, showWithButton } from '../ui/feedback/undo.tsx'
import { type Pet, type PetStatus, statusLabels } from './filters.ts'
import type { AnimalList } from './list/animal-list.ts'
import { fetchHoldingOrder, isHeld } from './queries.ts'

const patch = (petId: number, status: PetStatus) =>
  bodyOf(api.PATCH('/pets/{petId}', { params: { path: { petId } }, body: { status } }))

/** The animals with a change on its way. */
const busy = new Set<number>()

/** Runs a change, unless one of the same animal is on its way: a second click on a button changes nothing. */
async function once(pet: Pet, change: () => Promise<void>): Promise<void> {
  if (busy.has(pet.id)) return
  busy.add(pet.id)
  try {
    await change()
  } catch (error) {
    if (isHeld(error)) await offerOrder(pet)
    else showFailure(error)
  } finally {
    busy.delete(pet.id)
  }
}

/** Changes the status. If an open order reserves the animal, offers that order. */
export function changeStatus(pet: Pet, status: PetStatus, list?: AnimalList): Promise<void> {
  return once(pet, async () => {
    list?.replace(await patch(pet.id, status))
    const done =
      status === 'sold'
        ? 'is sold'
        : `is ${statusLabels[status].toLowerCase()}${status === 'available' ? ' again' : ''}`
    showUndo(`${pet.name} ${done}.`, async () => list?.replace(await patch(pet.id, pet.status)))
  })
}

async function offerOrder(pet: Pet): Promise<void> {
  const order = await fetchHoldingOrder(pet.id).catch(() => undefined)
  if (order === undefined) {
    showFailure(new Error('no order'), `${pet.name} is reserved by an order`)
    return
  }
  showWithButton(
    `${pet.name} is reserved by order ${order.id}. Deliver the order to sell ${pet.name}, or cancel it first.`,
    `Open order ${order.id}`,
    () => navigate(`/dashboard/orders/${order.id}`),
  )
}

/** Deletes an animal; it can be brought back for some minutes. */
export function deleteAnimal(pet: Pet, list?: AnimalList): Promise<void> {
  const path = { petId: pet.id }
  return once(pet, async () => {
    await api.DELETE('/pets/{petId}', { params: { path } })
    list?.remove(new Set([pet.id]))
    showUndo(`${pet.name} is deleted.`, () => api.POST('/pets/{petId}/restore', { params: { path } }))
  })
}
