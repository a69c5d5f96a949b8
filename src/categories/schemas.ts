/** Categories on the wire. */

import { type Static, Type } from '@sinclair/typebox'
import { idSchema, label, nullable, openObject } from '../endpoint/schemas.ts'
import { maximumNameLength } from './rules.ts'

const name = label('CategoryName', maximumNameLength, "The category's name, unique whatever its case.", 'Dog')

export const NewCategory = openObject(
  { name: name.given },
  { title: 'NewCategory', description: 'A name for a category.', examples: [{ name: 'Dog' }] },
)

export const Category = Type.Object(
  {
    id: idSchema('What animals carry as `categoryId`.'),
    name: nullable(name.stored),
    petCount: Type.Integer({
      format: 'int64',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'How many animals are in it, whatever their status.',
      examples: [12],
    }),
  },
  {
    title: 'Category',
    description: 'A category id with its name; `name` is null for one that animals carry and nobody has named.',
  },
)
export type Category = Static<typeof Category>

export const Categories = Type.Array(Category, {
  title: 'Categories',
  description: 'A page of categories.',
  maxItems: 100,
})
