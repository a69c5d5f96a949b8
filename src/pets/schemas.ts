/** Animals on the wire. */

import { type Static, Type } from '@sinclair/typebox'
import { pageParameters } from '../http/page.ts'
import { idSchema, label, openObject, stringEnum } from '../http/validation.ts'
import { maximumNameLength, petStatuses } from './rules.ts'

export const PetStatus = stringEnum(petStatuses, {
  title: 'PetStatus',
  description: 'Availability of an animal.',
  examples: ['available'],
})

const categoryId = idSchema('Id of the category the animal belongs to.')
const name = label('PetName', maximumNameLength, "The animal's name.", 'Honeysuckle')

export const NewPet = openObject(
  {
    name: name.given,
    categoryId,
    status: Type.Optional(PetStatus),
  },
  {
    title: 'NewPet',
    description: 'An animal to add. Without `status` it is available. Members that are not described are ignored.',
    examples: [{ name: 'Honeysuckle', categoryId: 2, status: 'available' }],
  },
)

export const Pet = Type.Object(
  {
    id: idSchema('Unique identifier, assigned by the service on creation.'),
    name: name.stored,
    categoryId,
    status: PetStatus,
  },
  {
    title: 'Pet',
    description: 'An animal.',
    additionalProperties: false,
    examples: [{ id: 42, name: 'Honeysuckle', categoryId: 2, status: 'available' }],
  },
)
export type Pet = Static<typeof Pet>

export const Pets = Type.Array(Pet, { title: 'Pets', description: 'A page of animals.', maxItems: 100 })

export const PetQuery = openObject({
  ...pageParameters,
  status: Type.Optional(PetStatus),
})
export type PetQuery = Static<typeof PetQuery>
