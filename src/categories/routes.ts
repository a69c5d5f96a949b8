/** Categories: names for what animals carry as `categoryId`. */

import { Type } from '@sinclair/typebox'
import type { App } from '../app.ts'
import { feature } from '../http/feature.ts'
import { json, needs } from '../http/input.ts'
import { pageOf, pageParameters, sendPage, writePage } from '../http/page.ts'
import { assertMatch, sendChanged, sendRecord } from '../http/representation.ts'
import { idParameter, openObject } from '../http/validation.ts'
import { AppError } from '../lib/error.ts'
import { bodyRefusals, operation } from '../openapi/operation.ts'
import { findCategory, pageOfCategories } from './list.ts'
import { addCategory, nameCategory } from './name.ts'
import { Categories, Category, NewCategory } from './schemas.ts'

const list = 'categories'
const path = '/v1/categories'
const categoryId = Type.Object({ categoryId: idParameter('Id of the category.') })

export const categoryRoutes = (app: Pick<App, 'categories' | 'pets' | 'posting' | 'writer'>) => {
  const { posting, writer } = app

  return feature({ prefix: '/categories', tags: ['animals'] })
    .get(
      '',
      ({ query, request, set }) => {
        const { limit, after = 0 } = pageOf(query, list)
        const read = (most: number) => pageOfCategories(app, after, most)
        return sendPage(request, set, writePage({ path, list, query: {}, limit, read }))
      },
      {
        transform: needs('pets:read', 'limit', 'cursor'),
        query: openObject(pageParameters),
        detail: operation({
          id: 'listCategories',
          summary: 'List categories',
          description: 'Returns a page of categories with their numbers of animals, by id ascending.',
          scope: 'pets:read',
          status: 200,
          answer: 'A page of categories.',
          schema: Categories,
          conditional: true,
          headers: ['Link'],
          refusals: ['invalid_parameter', 'invalid_cursor'],
          stability: 'beta',
        }),
      },
    )
    .post(
      '',
      ({ body, request, set, caller, bodyDigest }) =>
        posting.post({ request, set, caller, bodyDigest }, () => {
          const category = addCategory(app, body.name)
          return { body: category, location: `${path}/${category.id}` }
        }),
      {
        parse: json('pets:write', 'application/json'),
        body: NewCategory,
        detail: operation({
          id: 'createCategory',
          summary: 'Add a category',
          description: 'Gives a name to the next free id.',
          scope: 'pets:write',
          status: 201,
          answer: 'The category.',
          schema: Category,
          headers: ['ETag', 'Location'],
          refusals: [...bodyRefusals, 'conflict'],
          isRepeatable: true,
          stability: 'beta',
        }),
      },
    )
    .get(
      '/:categoryId',
      ({ params, request, set }) => {
        const category = findCategory(app, Number(params.categoryId))
        if (!category) throw new AppError('not_found', `There is no category ${params.categoryId}.`)
        return sendRecord(request, set, category)
      },
      {
        transform: needs('pets:read'),
        params: categoryId,
        detail: operation({
          id: 'getCategory',
          summary: 'Fetch a category',
          description: 'Returns one category with its number of animals.',
          scope: 'pets:read',
          status: 200,
          answer: 'The category.',
          schema: Category,
          conditional: true,
          refusals: ['not_found'],
          stability: 'beta',
        }),
      },
    )
    .put(
      '/:categoryId',
      async ({ params, body, request, set }) => {
        // If-Match names a record that there is (RFC 9110 section 13.1.1): none matches an id nobody uses.
        const unchanged = (category: Category | undefined) => assertMatch(request, category)
        const id = Number(params.categoryId)
        return sendChanged(set, await writer.write(() => nameCategory(app, id, body.name, unchanged)))
      },
      {
        parse: json('pets:write', 'application/json'),
        params: categoryId,
        body: NewCategory,
        detail: operation({
          id: 'nameCategory',
          summary: 'Name a category',
          description: 'Gives an id a name, whether it had one or not, and whether animals carry it or not.',
          scope: 'pets:write',
          status: 200,
          answer: 'The category as it is now.',
          schema: Category,
          headers: ['ETag'],
          refusals: [...bodyRefusals, 'not_found', 'conflict'],
          isGuarded: true,
          stability: 'beta',
        }),
      },
    )
}
