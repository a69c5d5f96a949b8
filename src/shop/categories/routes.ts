/** The handlers of the endpoints of categories. */

import type { EventWriter } from '../../access/events/log.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { AppError } from '../../lib/error.ts'
import type { PetStore } from '../pets/store.ts'
import { categoryEndpoints } from './endpoints.ts'
import { findCategory, pageOfCategories } from './list.ts'
import { addCategory, nameCategory } from './name.ts'
import type { CategoryStore } from './store.ts'

export interface CategoryRouteParts {
  readonly categories: CategoryStore
  readonly pets: PetStore
  readonly events: EventWriter
  readonly endpointParts: EndpointParts
}

export const categoryRoutes = (app: CategoryRouteParts) =>
  mount(
    categoryEndpoints,
    {
      listCategories: ({ after = 0, most }) => pageOfCategories(app, after, most),
      createCategory({ body }) {
        const category = addCategory(app, body.name)
        return { body: category, location: `/v1/categories/${category.id}` }
      },
      getCategory({ params: { categoryId } }) {
        const category = findCategory(app, categoryId)
        if (!category) throw new AppError('not_found', `There is no category ${categoryId}.`)
        return category
      },
      nameCategory: ({ params, body, assertPreconditions }) =>
        nameCategory(app, params.categoryId, body.name, assertPreconditions),
    },
    app.endpointParts,
  )
