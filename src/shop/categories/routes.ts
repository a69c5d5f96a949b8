/** The handlers of the endpoints of categories. */

import type { EventWriter } from '../../access/events/log.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { DeletedPetStore } from '../pets/changes/deleted-pets.ts'
import type { PetStore } from '../pets/store.ts'
import { categoryEndpoints } from './endpoints.ts'
import { getCategory, pageOfCategories } from './list.ts'
import { addCategory, nameCategory } from './name.ts'
import { deleteCategory, mergeCategory } from './remove.ts'
import type { CategoryStore } from './store.ts'

export interface CategoryRouteParts {
  readonly categories: CategoryStore
  readonly pets: PetStore
  readonly deletedPets: DeletedPetStore
  readonly events: EventWriter
  readonly endpointParts: EndpointParts
}

export const categoryRoutes = (parts: CategoryRouteParts) =>
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
