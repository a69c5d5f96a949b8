/** JSON schemas of animals in requests and responses. */

import { type Static, Type } from '@sinclair/typebox'
import { beta, codePoints, idListQuery, idQuery, idSchema, label, openObject, stringEnum } from '../endpoint/schemas.ts'
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
    examples: [{ id: 42, name: 'Honeysuckle', categoryId: 2, status: 'available' }],
  },
)
export type Pet = Static<typeof Pet>

export const Pets = Type.Array(Pet, { title: 'Pets', description: 'A page of animals.', maxItems: 100 })

export const PetChange = Type.Partial(NewPet, {
  title: 'PetChange',
  description: 'The members to change. The others are unchanged.',
  additionalProperties: true,
  examples: [{ status: 'sold' }],
})

/** The query parameters that filter and order a list of animals. */
export const petFilters = {
  status: Type.Optional(PetStatus),
  ids: Type.Optional(beta(idListQuery('Only the animals with these ids, at most 100, separated by commas.'))),
  categoryId: Type.Optional(beta(idQuery('Only animals of this category.'))),
  q: Type.Optional(
    beta(
      codePoints('SearchText', {
        title: 'SearchText',
        minLength: 1,
        maxLength: maximumNameLength,
        description: 'Part of the name, such as `chuy`. Case, accents and the kind of apostrophe are ignored.',
      }),
    ),
  ),
  order: Type.Optional(
    beta(
      stringEnum(['asc', 'desc'], {
        default: 'asc',
        description: 'The order by id: `asc` for the oldest first, `desc` for the newest first.',
        examples: ['desc'],
      }),
    ),
  ),
}
