/** JSON schemas of categories in requests and responses. */

import { type Static, Type } from '@sinclair/typebox'
import { countSchema, idSchema, label, nullable, requestObject } from '../../api/schemas.ts'
import { maximumNameLength } from './rules.ts'

/** The name of a category, in requests and responses. */
export const categoryName = label(
  'CategoryName',
  maximumNameLength,
  "The category's name. Names are unique, and their case is ignored.",
  'Dog',
)

export const Category = Type.Object(
  {
    id: idSchema('The id that animals have as `categoryId`.'),
    name: nullable(categoryName.stored),
    petCount: countSchema('The number of animals of this category, in any status.', 12),
  },
  {
    title: 'Category',
    description: 'A category. `name` is null if animals use the id but it has no name.',
    examples: [{ id: 1, name: 'Dog', petCount: 12 }],
  },
)
export type Category = Static<typeof Category>

export const NewCategory = requestObject(
  { name: categoryName.given },
  { title: 'NewCategory', description: 'A name for a category.', examples: [{ name: 'Dog' }] },
  Category,
)

export const NamedCategory = requestObject(
  { name: nullable(categoryName.given) },
  {
    title: 'NamedCategory',
    description: 'The name of a category. It can be null only if the category has none.',
    examples: [{ name: 'Dog' }],
  },
  Category,
)

export const CategoryMerge = requestObject(
  { into: idSchema('The category that gets the animals.') },
  { title: 'CategoryMerge', description: 'Where the animals of a category move.', examples: [{ into: 1 }] },
)

/** The data of an event. */
export const MergedCategory = Type.Object(
  {
    id: idSchema('The merged category, which no longer exists.'),
    into: idSchema('The category that now has its animals.'),
    animals: countSchema('The number of animals that moved.', 12),
  },
  {
    title: 'MergedCategory',
    description: 'A merge of two categories: every animal with the `categoryId` `id` now has `into`.',
    examples: [{ id: 7, into: 1, animals: 12 }],
  },
)

export const Categories = Type.Array(Category, {
  title: 'Categories',
  description: 'A page of categories.',
  maxItems: 100,
})
