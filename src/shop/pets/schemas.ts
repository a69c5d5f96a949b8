/** JSON schemas of animals in requests and responses. */

import { type Static, Type } from '@sinclair/typebox'
import {
  beta,
  codePoints,
  countSchema,
  idListQuery,
  idQuery,
  idSchema,
  label,
  nullable,
  orderQuery,
  requestObject,
  stringEnum,
  withOptions,
  without,
} from '../../api/schemas.ts'
import { AppError } from '../../lib/error.ts'
import { maximumNameLength, petStatuses } from './rules.ts'

export const PetStatus = stringEnum(petStatuses, {
  title: 'PetStatus',
  description: 'Availability of an animal.',
  examples: ['available'],
})

const categoryId = idSchema('Id of the category the animal belongs to.')
const name = label('PetName', maximumNameLength, "The animal's name.", 'Honeysuckle')

/** The name of an animal in a response. */
export const petNameSchema = name.stored

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

export const NewPet = requestObject(
  {
    name: name.given,
    categoryId,
    status: Type.Optional(PetStatus),
  },
  {
    title: 'NewPet',
    description: 'An animal to add. Without `status` it is available.',
    examples: [{ name: 'Honeysuckle', categoryId: 2, status: 'available' }],
  },
  Pet,
)

export const Pets = Type.Array(Pet, { title: 'Pets', description: 'A page of animals.', maxItems: 100 })

export const PetChange = Type.Partial(NewPet, {
  title: 'PetChange',
  description: 'The members to change. The others are unchanged.',
  additionalProperties: false,
  examples: [{ status: 'sold' }],
})

/** The query parameters that filter a list of animals. */
export const petFilters = {
  status: Type.Optional(PetStatus),
  ids: Type.Optional(idListQuery('Up to 100 ids, separated by commas.')),
  categoryId: Type.Optional(idQuery('Only animals of this category.')),
  q: Type.Optional(
    codePoints('SearchText', {
      title: 'SearchText',
      minLength: 1,
      maxLength: maximumNameLength,
      description: 'Part of the name; case and accents are ignored.',
    }),
  ),
}

/** The query parameters of a list of animals. */
export const petListParameters = {
  ...petFilters,
  importId: Type.Optional(beta(idQuery('Only animals of this import.'))),
  sort: Type.Optional(
    stringEnum(['id', 'name', 'status', 'category'], {
      default: 'id',
      description:
        'The member by which the list is sorted; animals with the same value are sorted by id. Not with `q` or `ids`.',
      examples: ['name'],
    }),
  ),
  order: Type.Optional(withOptions(orderQuery(), { description: '`desc` reverses the order.' })),
}

export const PetCount = Type.Object(
  {
    count: countSchema('The number of animals.', 312),
    exact: Type.Boolean({
      description: 'Whether the number is exact. Otherwise there are at least this many.',
      examples: [true],
    }),
  },
  { title: 'PetCount', description: 'A number of animals.', examples: [{ count: 312, exact: true }] },
)

const onlyTrue = (description: string) => Type.Optional(Type.Literal(true, { description, examples: [true] }))
const actions = ['change', 'delete', 'restore'] as const

/** The animals of a batch. */
export const batchIds = Type.Array(idSchema('Id of an animal.'), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'The animals.',
  examples: [[4, 8, 15]],
})

export const PetBatch = requestObject(
  {
    ids: batchIds,
    change: Type.Optional(PetChange),
    delete: onlyTrue('Deletes the animals.'),
    restore: onlyTrue('Restores animals that were deleted in the last ten minutes.'),
  },
  {
    title: 'PetBatch',
    description: 'What to do with the animals: exactly one of `change`, `delete` and `restore`.',
    if: { required: ['change'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: without('delete', 'restore'),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    else: { if: { required: ['delete'] }, then: { not: { required: ['restore'] } }, else: { required: ['restore'] } },
    examples: [{ ids: [4, 8, 15], change: { status: 'sold' } }],
  },
)

/** Throws `invalid_body` unless exactly one action is given. */
export function assertOneAction(body: Static<typeof PetBatch>): void {
  if (actions.filter((name) => body[name] !== undefined).length === 1) return
  throw new AppError('invalid_body', 'Send exactly one of change, delete and restore.')
}

/** The error of an animal in a batch. */
export const batchError = {
  code: nullable(
    Type.String({
      minLength: 1,
      maxLength: 60,
      pattern: '^[a-z_]+$',
      description: 'The error code, as in `Error`; null if it was done.',
      examples: ['conflict'],
    }),
  ),
  message: nullable(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: '\\S',
      description: 'Why it was not done; null if it was done.',
      examples: ['Order 7 reserves animal 8: deliver or cancel the order to delete the animal.'],
    }),
  ),
}

export const PetBatchResults = Type.Array(
  Type.Object(
    {
      id: idSchema('Id of the animal.'),
      done: Type.Boolean({ description: 'Whether the animal was changed, deleted or restored.', examples: [true] }),
      pet: nullable(Pet),
      ...batchError,
    },
    {
      title: 'PetBatchResult',
      description:
        'The result for one animal. `pet` is the animal as it is now; null if it was deleted or was not changed.',
      examples: [
        {
          id: 8,
          done: false,
          pet: null,
          code: 'conflict',
          message: 'Order 7 reserves animal 8: deliver or cancel the order to delete the animal.',
        },
      ],
    },
  ),
  { title: 'PetBatchResults', description: 'The results in the order of `ids`.', maxItems: 100 },
)
