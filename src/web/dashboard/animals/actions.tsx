/** The actions for an animal, each with the message that follows. An animal has one message at a time. */

import { navigate } from 'wouter/use-browser-location'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { isolated } from '../ui/format.ts'
import { showDone, showFailure, showUndo, showWithButton } from '../ui/notices.tsx'
import { type Pet, type PetStatus, statusDone, stepsTo } from './filters.ts'
import type { AnimalList } from './list/animal-list.ts'
import { fetchHoldingOrder, isHeld } from './queries.ts'

type Order = Schemas['Order']

const patch = (petId: number, status: PetStatus) =>
  bodyOf(api.PATCH('/pets/{petId}', { params: { path: { petId } }, body: { status } }))

/** The subject of the messages about an animal. */
export const subjectOf = (petId: number): string => `animal ${petId}`

/** How the animal is freed for the change. */
type Goal = (order: Order) => string

const toSell: Goal = ({ id, status }) =>
  `${status === 'placed' ? 'Approve and deliver' : 'Deliver'} order ${id} to sell it`
const toChange: Goal = ({ id }) => `Cancel order ${id} to change that`
const toDelete: Goal = ({ id }) => `Cancel or deliver order ${id} before you delete the animal`

/** The animals with a change on its way. */
const busy = new Set<number>()

/**
 * Runs a change, unless one of the same animal is on its way: a second click on a button changes nothing. If an open order
 * reserves the animal, offers that order; `goal` ends the sentence about it. Throws every other error.
 */
async function once(pet: Pet, goal: Goal, change: () => Promise<void>): Promise<void> {
  if (busy.has(pet.id)) return
  busy.add(pet.id)
  try {
    await change()
  } catch (error) {
    if (isHeld(error)) await offerOrder(pet, goal)
    else throw error
  } finally {
    busy.delete(pet.id)
  }
}

/** Changes the status; the message offers to take it back. */
export function changeStatus(pet: Pet, status: PetStatus, list?: AnimalList): Promise<void> {
  const subject = subjectOf(pet.id)
  const before = pet.status
  return once(pet, status === 'sold' ? toSell : toChange, async () => {
    list?.replace(await patch(pet.id, status))
    showUndo(`${isolated(pet.name)} ${statusDone[status]}.`, undo, { subject })
  }).catch((error) => showFailure(error, undefined, () => changeStatus(pet, status, list)))

  function undo(): Promise<void> {
    return once(pet, toChange, async () => {
      for (const step of stepsTo(status, before)) list?.replace(await patch(pet.id, step))
      showDone(`${isolated(pet.name)} ${statusDone[before]}.`, { subject })
    })
  }
}

async function offerOrder(pet: Pet, goal: Goal): Promise<void> {
  const [subject, tone] = [subjectOf(pet.id), 'warning' as const]
  const order = await fetchHoldingOrder(pet.id).catch(() => undefined)
  if (order === undefined) {
    showDone(`An order reserved ${isolated(pet.name)} until a moment ago. Try again.`, { subject, tone })
    return
  }
  showWithButton(
    `${isolated(pet.name)} is reserved by order ${order.id}. ${goal(order)}.`,
    `Open order ${order.id}`,
    () => navigate(`/dashboard/orders/${order.id}`),
    { subject, tone },
  )
}

/** Deletes an animal; it can be brought back for some minutes. */
export function deleteAnimal(pet: Pet, list?: AnimalList): Promise<void> {
  const [path, subject] = [{ petId: pet.id }, subjectOf(pet.id)]
  return once(pet, toDelete, async () => {
    await api.DELETE('/pets/{petId}', { params: { path } })
    list?.remove(new Set([pet.id]))
    showUndo(`${isolated(pet.name)} is deleted.`, undo, { subject })
  }).catch((error) => showFailure(error, undefined, () => deleteAnimal(pet, list)))

  async function undo(): Promise<void> {
    await api.POST('/pets/{petId}/restore', { params: { path } })
    showDone(`${isolated(pet.name)} is back.`, { subject })
  }
}
