/** The endpoints of categories: names for the ids that animals have as `categoryId`. */

import { created, endpoint, json, page, performed, removed, resource, updated } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { Categories, Category, CategoryMerge, NamedCategory, NewCategory } from './schemas.ts'

const params = { categoryId: idParameter('Id of the category.') }

/** The ETag does not cover the number of animals, which changes with the animals and not with the category. */
const untagged = ['petCount']

export const categoryEndpoints = {
  listCategories: endpoint({
    method: 'GET',
    path: '/categories',
    tag: 'animals',
    summary: 'List categories',
    description: 'Returns a page of categories with their numbers of animals, by id ascending.',
    scope: 'pets:read',
    success: page(Categories, {
      description: 'A page of categories.',
      cursorName: 'categories',
      cachedUntil: ['pets', 'categories'],
    }),
  }),
  createCategory: endpoint({
    method: 'POST',
    path: '/categories',
    tag: 'animals',
    summary: 'Add a category',
    description: 'Adds a category under the next free id.',
    scope: 'pets:write',
    body: json(NewCategory),
    success: created(Category, { description: 'The category.', untagged }),
    errors: ['conflict'],
  }),
  getCategory: endpoint({
    method: 'GET',
    path: '/categories/{categoryId}',
    params,
    tag: 'animals',
    summary: 'Fetch a category',
    description: 'Returns one category with its number of animals, which its ETag does not cover.',
    scope: 'pets:read',
    success: resource(Category, { description: 'The category.', untagged, cachedUntil: ['pets', 'categories'] }),
  }),
  nameCategory: endpoint({
    method: 'PUT',
    path: '/categories/{categoryId}',
    params,
    tag: 'animals',
    summary: 'Name a category',
    description:
      'Sets the name of the category with this id, or adds a category with this id. The id may have a name already, and animals may use it already.',
    scope: 'pets:write',
    body: json(NamedCategory),
    success: updated(Category, { description: 'The category as it is now.', untagged }),
    errors: ['conflict'],
  }),
  deleteCategory: endpoint({
    method: 'DELETE',
    path: '/categories/{categoryId}',
    params,
    tag: 'animals',
    summary: 'Delete a category',
    description: 'Deletes a category that has no animals. One that has animals can be merged into another.',
    scope: 'pets:write',
    success: removed({ description: 'The category is deleted.', untagged }),
    errors: ['conflict'],
  }),
  mergeCategory: endpoint({
    method: 'POST',
    path: '/categories/{categoryId}/merge',
    params,
    tag: 'animals',
    summary: 'Merge a category into another',
    description:
      'Moves all animals of a category, at most 100,000, to the category `into`, and deletes the category. Deleted animals that can be restored move too. `If-Match` applies to the category in the path. `category.merged` is the only event: there is none for each animal.',
    scope: 'pets:write',
    body: json(CategoryMerge),
    success: performed(Category, { description: 'The category `into` as it is now.', untagged }),
    errors: ['conflict'],
  }),
}
