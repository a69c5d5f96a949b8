/** The handlers of the endpoints of categories. */

import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { addCategory, type CategoryMergeParts, deleteCategory, mergeCategory, nameCategory } from './change.ts'
import { categoryEndpoints } from './endpoints.ts'
import { getCategory, pageOfCategories } from './list.ts'

export const categoryRoutes = (parts: CategoryMergeParts & { readonly endpointParts: EndpointParts }) =>
  mount(
    categoryEndpoints,
    {
      listCategories: ({ cursorId = 0, fetchLimit }) => pageOfCategories(parts, cursorId, fetchLimit),
      createCategory({ body }) {
        const category = addCategory(parts, body.name)
        return { body: category, location: `/v1/categories/${category.id}` }
      },
      getCategory: ({ params }) => getCategory(parts, params.categoryId),
      nameCategory: ({ params, body, assertPreconditions }) =>
        nameCategory(parts, params.categoryId, body.name, assertPreconditions),
      deleteCategory: ({ params, assertPreconditions }) =>
        deleteCategory(parts, params.categoryId, assertPreconditions),
      mergeCategory: ({ params, body, assertPreconditions }) =>
        mergeCategory(parts, params.categoryId, body.into, assertPreconditions),
    },
    parts.endpointParts,
  )
