/** JSON schemas of categories in requests and responses. */

import { type Static, Type } from '@sinclair/typebox'
import { countSchema, idSchema, label, nullable, openObject } from '../endpoint/schemas.ts'
import { maximumNameLength } from './rules.ts'

/** The name of a category, in requests and responses. */
export const categoryName = label(
  'CategoryName',
  maximumNameLength,
  "The category's name. Names are unique, and their case is ignored.",
  'Dog',
)

export const NewCategory = openObject(
  { name: categoryName.given },
  { title: 'NewCategory', description: 'A name for a category.', examples: [{ name: 'Dog' }] },
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
  },
)
export type Category = Static<typeof Category>

export const Categories = Type.Array(Category, {
  title: 'Categories',
  description: 'A page of categories.',
  maxItems: 100,
})
