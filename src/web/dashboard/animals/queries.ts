/** The queries of the page of animals. */

import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, bodyOf, type Schemas, type Tagged, taggedBodyOf } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { allOf, type ListPage, pageOf, pageStart } from '../api/lists.ts'
import type { paths } from '../api/schema.d.ts'
import { type Animal, animalOf, type Filters, type Pet, queryOf } from './filters.ts'

export type Category = Schemas['Category']

const longestPage = 100

export const categoriesQuery = queryOptions({
  queryKey: ['categories'],
  queryFn: ({ signal }) =>
    allOf((start) => pageOf(api.GET('/categories', { params: { query: { limit: longestPage, ...start } }, signal }))),
  meta: { topics: ['categories', 'pets'] },
})

/** The name of a category as it is shown: those that animals use may have none yet. */
export const categoryName = ({ id, name }: Pick<Category, 'id' | 'name'>): string => name ?? `Category ${id}`

/** Gives the names of categories by their ids. */
export function useCategoryNames(): (categoryId: number) => string {
  const { data } = useQuery(categoriesQuery)
  return (categoryId) => categoryName(data?.find(({ id }) => id === categoryId) ?? { id: categoryId, name: null })
}

export function countQuery(filters: Filters) {
  const query = queryOf(filters)
  return queryOptions({
    queryKey: ['pets', 'count', query],
    queryFn: ({ signal }) => bodyOf(api.GET('/pets/profiles/count', { params: { query }, signal })),
    meta: { topics: ['pets', 'profiles'] },
  })
}

/** A page of the list. */
export async function fetchAnimals(
  filters: Filters,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<Animal>> {
  const { sort, order } = filters
  const query = { ...queryOf(filters), limit: longestPage, order, ...pageStart(cursor) }
  if (sort === 'id') return profilePage(query, signal)
  const { items: pets, next } = await pageOf(api.GET('/pets', { params: { query: { ...query, sort } }, signal }))
  // The API sorts profiles by id alone.
  const ids = pets.map(({ id }) => id)
  const { items } = ids.length === 0 ? { items: [] } : await profilePage({ ids, limit: longestPage }, signal)
  const found = new Map(items.map((animal) => [animal.id, animal]))
  return { items: ids.flatMap((id) => found.get(id) ?? []), next }
}

type ProfileQuery = NonNullable<paths['/pets/profiles']['get']['parameters']['query']>

async function profilePage(query: ProfileQuery, signal: AbortSignal): Promise<ListPage<Animal>> {
  const { items, next } = await pageOf(api.GET('/pets/profiles', { params: { query }, signal }))
  return { items: items.map(animalOf), next }
}

/** The animal with its profile, and the tag for `If-Match`. */
export const profileQuery = (petId: number) =>
  queryOptions({
    queryKey: ['profiles', 'one', petId],
    queryFn: ({ signal }) => taggedBodyOf(api.GET('/pets/{petId}/profile', { params: { path: { petId } }, signal })),
    meta: { topics: ['profiles', 'pets'] },
  })

/** One animal with the tag for `If-Match`; undefined if it is deleted. */
export async function fetchAnimal(id: number): Promise<Tagged<Pet> | undefined> {
  const { data, response } = await api.GET('/pets', { params: { query: { ids: [id], limit: 1 } } })
  const [record] = data ?? []
  return record && { record, etag: response.headers.get('x-record-etag') ?? undefined }
}

/** The open order that reserves an animal. */
export async function fetchHoldingOrder(petId: number): Promise<Schemas['Order'] | undefined> {
  for (const status of ['placed', 'approved'] as const) {
    const orders = await bodyOf(api.GET('/store/orders', { params: { query: { petId, status, limit: 1 } } }))
    if (orders[0] !== undefined) return orders[0]
  }
  return undefined
}

const holdingOrdersQuery = queryOptions({
  queryKey: ['orders', 'holding'],
  queryFn: async ({ signal }) => {
    const open = (['placed', 'approved'] as const).map((status) =>
      bodyOf(api.GET('/store/orders', { params: { query: { status, limit: longestPage, order: 'desc' } }, signal })),
    )
    return new Map((await Promise.all(open)).flat().map(({ petId, id }) => [petId, id]))
  },
  meta: { topics: ['orders'] },
})

/** The numbers of the newest open orders by the animals that they reserve; undefined while they are loading. */
export const useHoldingOrders = (): ReadonlyMap<number, number> | undefined => useQuery(holdingOrdersQuery).data

/** Whether a change was rejected because an open order reserves the animal. */
export const isHeld = (error: unknown): boolean => isApiError(error, 'conflict')
