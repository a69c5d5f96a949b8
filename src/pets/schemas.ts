/** Animals on the wire. */

import { type Static, Type } from '@sinclair/typebox'
import { pageParameters } from '../http/page.ts'
import { maximumId, stringEnum, stringWithRule } from '../http/validation.ts'
import { maximumNameLength, nameFault, namePattern, petStatuses } from './rules.ts'

export const PetStatus = stringEnum(petStatuses, {
  title: 'PetStatus',
  description: 'Availability of an animal.',
  examples: ['available'],
})

const categoryId = Type.Integer({
  format: 'int64',
  minimum: 1,
  maximum: maximumId,
  description: 'Id of the category the animal belongs to.',
  examples: [1],
})

const id = Type.Integer({
  format: 'int64',
  minimum: 1,
  maximum: maximumId,
  description: 'Unique identifier, assigned by the service on creation.',
  examples: [42],
})

/** Composing a name's characters (NFC) can make one of them three. */
const maximumStoredNameLength = 3 * maximumNameLength

export const NewPet = Type.Object(
  {
    name: stringWithRule(
      'PetName',
      {
        minLength: 1,
        maxLength: maximumNameLength,
        pattern: namePattern,
        description:
          "The animal's name: 1 to 100 Unicode characters, not all of them white space, no control characters. Stored trimmed and in Unicode's canonical composition (NFC).",
        examples: ['Honeysuckle'],
      },
      nameFault,
    ),
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
    id,
    name: Type.String({
      minLength: 1,
      maxLength: maximumStoredNameLength,
      pattern: namePattern,
      description: "The animal's name.",
      examples: ['Honeysuckle'],
    }),
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

export const PetQuery = Type.Object({
  ...pageParameters,
  status: Type.Optional(PetStatus),
})
export type PetQuery = Static<typeof PetQuery>
