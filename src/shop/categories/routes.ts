/** The handlers of the endpoints of categories. */

import { mount } from '../../api/endpoint/mount.ts'
import type { App } from '../../app/app-parts.ts'
import { AppError } from '../../lib/error.ts'
import { categoryEndpoints } from './endpoints.ts'
import { findCategory, pageOfCategories } from './list.ts'
import { addCategory, nameCategory } from './name.ts'

export const categoryRoutes = (app: Pick<App, 'categories' | 'pets' | 'endpointParts'>) =>
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
