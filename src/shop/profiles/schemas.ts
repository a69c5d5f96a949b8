/** JSON schemas of profiles in requests and responses. */

import { Kind, type Static, Type, TypeRegistry } from '@sinclair/typebox'
import {
  booleanParameter,
  codePoints,
  faultOf,
  freeText,
  idSchema,
  label,
  nullable,
  orderQuery,
  requestObject,
  stringEnum,
  timeSchema,
  withOptions,
} from '../../api/schemas.ts'
import { AppError } from '../../lib/error.ts'
import { maximumNameLength } from '../pets/rules.ts'
import { batchError, batchIds, Pet, petFilters, petListParameters } from '../pets/schemas.ts'
import { maximumPhotos, Photo, photoExample } from '../photos/schemas.ts'
import { storedCurrency } from '../settings/schemas.ts'
import {
  birthDateFault,
  birthDatePattern,
  maximumAttributes,
  maximumLengths,
  maximumPrice,
  microchipPattern,
  repeatedLabel,
  sexes,
} from './rules.ts'
import { lackable } from './store.ts'

const number = label(
  'AnimalNumber',
  maximumLengths.number,
  "The shop's own number of the animal. Numbers are unique, and their case is ignored.",
  'A-1042',
)
const breed = label('Breed', maximumLengths.breed, 'The breed.', 'Maine Coon')
const color = label('Color', maximumLengths.color, 'The color.', 'Red tabby')
const description = freeText(
  'AnimalDescription',
  maximumLengths.description,
  'A description for buyers, as Markdown.',
  'Likes **children** and other cats.',
)
const attributeLabel = label('AttributeLabel', maximumLengths.label, 'The label, which is unique.', 'Vaccinated')
const attributeText = label('AttributeText', maximumLengths.text, 'The text.', 'Rabies, May 2026')

const sex = stringEnum(sexes, { description: 'The sex.', examples: ['female'] })

TypeRegistry.Set('BirthDate', (_, value) => typeof value === 'string' && birthDateFault(value) === undefined)

const birthDate = Type.Unsafe<string>({
  [Kind]: 'BirthDate',
  [faultOf]: birthDateFault,
  type: 'string',
  minLength: 4,
  maxLength: 10,
  pattern: birthDatePattern,
  description: 'The date of birth as exactly as it is known: a year, a month or a day. It is not in the future.',
  examples: ['2026-03'],
})

const sentMicrochip = Type.Unsafe<string>({
  [Kind]: 'String',
  [faultOf]: () => 'must have 1 to 30 letters and digits; spaces between them are ignored',
  type: 'string',
  minLength: 1,
  maxLength: 60,
  pattern: microchipPattern,
  description: 'The number of the microchip: 1 to 30 letters and digits. It is stored without spaces.',
  examples: ['276 098 102 345 678'],
})

export const price = Type.Integer({
  format: 'int64',
  minimum: 0,
  maximum: maximumPrice,
  description: "The price in the smallest unit of the store's currency, such as cents. 0 is free; null is on request.",
  examples: [49_900],
})

const anAttribute = { label: 'Vaccinated', text: 'Rabies, May 2026' }
const attributeOptions = { description: 'A fact about an animal under a label of the owner.', examples: [anAttribute] }

const StoredAttribute = Type.Object(
  { label: attributeLabel.stored, text: attributeText.stored },
  { ...attributeOptions, title: 'Attribute' },
)
const NewAttribute = requestObject(
  { label: attributeLabel.given, text: attributeText.given },
  { ...attributeOptions, title: 'NewAttribute' },
)

const attributeList = {
  maxItems: maximumAttributes,
  description: `Up to ${maximumAttributes} other facts, in the order of the owner. A change replaces the list.`,
  examples: [[anAttribute]],
}

const published = Type.Boolean({
  description: 'Whether the animal may be shown to the public. Keys with `pets:read` see every profile.',
  examples: [true],
})

const example = {
  petId: 42,
  pet: { id: 42, name: 'Honeysuckle', categoryId: 2, status: 'available' },
  number: 'A-1042',
  breed: 'Maine Coon',
  color: 'Red tabby',
  sex: 'female',
  birthDate: '2026-03',
  microchip: '276098102345678',
  price: 49_900,
  currency: 'EUR',
  description: 'Likes **children** and other cats.',
  attributes: [{ label: 'Vaccinated', text: 'Rabies, May 2026' }],
  published: true,
  photos: [photoExample],
  updatedAt: '2030-06-01T12:00:00.000Z',
}

export const Profile = Type.Object(
  {
    petId: idSchema('Id of the animal.'),
    pet: Pet,
    number: nullable(number.stored),
    breed: nullable(breed.stored),
    color: nullable(color.stored),
    sex: nullable(sex),
    birthDate: nullable(birthDate),
    microchip: nullable(
      Type.String({
        minLength: 1,
        maxLength: 30,
        pattern: '^[0-9A-Za-z]+$',
        description: 'The number of the microchip. It is not for the public.',
        examples: ['276098102345678'],
      }),
    ),
    price: nullable(price),
    currency: nullable(storedCurrency('The currency of the store (ISO 4217); null without a price.')),
    description: nullable(description.stored),
    attributes: Type.Array(StoredAttribute, attributeList),
    published,
    photos: Type.Array(Photo, {
      maxItems: maximumPhotos,
      description: 'The photos in their order. They are added and changed on their own.',
    }),
    updatedAt: nullable(
      timeSchema('When the profile or its photos were last changed; null if they were never changed.'),
    ),
  },
  {
    title: 'Profile',
    description: 'What is known of an animal. Null is unknown.',
    examples: [example],
  },
)
export type Profile = Static<typeof Profile>

/** The members that several animals can have in common. */
const common = {
  breed: Type.Optional(nullable(breed.given)),
  color: Type.Optional(nullable(color.given)),
  sex: Type.Optional(nullable(sex)),
  birthDate: Type.Optional(nullable(birthDate)),
  price: Type.Optional(nullable(price)),
  description: Type.Optional(nullable(description.given)),
  attributes: Type.Optional(Type.Array(NewAttribute, attributeList)),
  published: Type.Optional(published),
}

export const ProfileChange = requestObject(
  { number: Type.Optional(nullable(number.given)), ...common, microchip: Type.Optional(nullable(sentMicrochip)) },
  {
    title: 'ProfileChange',
    description: 'The members to change. The others are unchanged; null removes a value.',
    examples: [{ number: 'A-1042', price: 49_900 }],
  },
  Profile,
)
export type ProfileChange = Static<typeof ProfileChange>

/** Throws `invalid_body` if a label occurs twice. */
export function assertDifferentLabels({ attributes = [] }: Pick<ProfileChange, 'attributes'>): void {
  const repeated = repeatedLabel(attributes)
  if (repeated === undefined) return
  throw new AppError('invalid_body', `attributes must have different labels: "${repeated}" occurs twice.`)
}

export const ProfileBatch = requestObject(
  {
    ids: batchIds,
    change: requestObject(common, {
      title: 'CommonProfileChange',
      description: 'The members to change. The others are unchanged; null removes a value.',
      examples: [{ published: false }],
    }),
  },
  {
    title: 'ProfileBatch',
    description: 'A change of the profiles of several animals.',
    examples: [{ ids: [4, 8, 15], change: { published: false } }],
  },
)

const ProfileBatchResult = Type.Object(
  {
    id: idSchema('Id of the animal.'),
    done: Type.Boolean({ description: 'Whether the profile was changed.', examples: [true] }),
    profile: nullable(Profile),
    ...batchError,
  },
  {
    title: 'ProfileBatchResult',
    description: 'The result for one animal. `profile` is the profile as it is now; null if it was not changed.',
    examples: [{ id: 8, done: false, profile: null, code: 'not_found', message: 'There is no animal 8.' }],
  },
)

export const ProfileBatchResults = Type.Array(ProfileBatchResult, {
  title: 'ProfileBatchResults',
  description: 'The results in the order of `ids`.',
  maxItems: 100,
})

export const Profiles = Type.Array(Profile, { title: 'Profiles', description: 'A page of profiles.', maxItems: 100 })

/** The query parameters that filter a list of profiles. */
export const profileFilters = {
  ...petFilters,
  q: Type.Optional(
    codePoints('ProfileSearchText', {
      title: 'ProfileSearchText',
      minLength: 1,
      maxLength: maximumNameLength,
      description: 'Part of the name, the number, the breed or the microchip; case and accents are ignored.',
    }),
  ),
  number: Type.Optional(
    withOptions(number.given, { description: 'Only the animal with this number; case is ignored.' }),
  ),
  microchip: Type.Optional(withOptions(sentMicrochip, { description: 'Only animals with this microchip.' })),
  sex: Type.Optional(withOptions(sex, { description: 'Only animals of this sex.' })),
  published: Type.Optional(
    booleanParameter({
      description: 'Only animals that may be shown to the public, or only others.',
      examples: [false],
    }),
  ),
  lacks: Type.Optional(stringEnum(lackable, { description: 'Only animals without this.', examples: ['price'] })),
}

/** The query parameters of a list of profiles. */
export const profileListParameters = {
  ...profileFilters,
  importId: petListParameters.importId,
  order: Type.Optional(withOptions(orderQuery(), { description: '`desc` reverses the order.' })),
}

/** The data of an event. */
export const UpdatedProfile = Type.Object(
  {
    petId: idSchema('Id of the animal.'),
    changed: Type.Array(
      Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z]+$', description: 'The name of a member.' }),
      { maxItems: 40, description: 'The members of the profile that have changed.', examples: [['breed', 'price']] },
    ),
    updatedAt: timeSchema('When the profile was changed.'),
  },
  {
    title: 'UpdatedProfile',
    description: 'A change of a profile. `GET /v1/pets/profiles?ids=` has the profile.',
    examples: [{ petId: 42, changed: ['breed', 'price'], updatedAt: '2030-06-01T12:00:00.000Z' }],
  },
)
