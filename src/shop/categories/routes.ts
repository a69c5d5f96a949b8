/** The handlers of the endpoints of categories. */

import type { EventWriter } from '../../access/events/log.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { DeletedPetStore } from '../pets/changes/deleted-pets.ts'
import type { PetStore } from '../pets/store.ts'
import { addCategory, deleteCategory, mergeCategory, nameCategory } from './change.ts'
import { categoryEndpoints } from './endpoints.ts'
import { getCategory, pageOfCategories } from './list.ts'
import type { CategoryStore } from './store.ts'

export const categoryRoutes = (parts: {
  readonly categories: CategoryStore
  readonly pets: PetStore
  readonly deletedPets: DeletedPetStore
  readonly events: EventWriter
  readonly endpointParts: EndpointParts
}) =>
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
