/** Animals, their status in words, their profiles as far as lists show them, and the filters of their list, as they stand in the address. */

import type { Schemas } from '../api/client.ts'
import { addressWith, defined, idIn, searchTextOf, withParameters } from '../ui/input.ts'
import type { StatusWords } from '../ui/status.tsx'

export type Pet = Schemas['Pet']
export type PetStatus = Schemas['PetStatus']
type Profile = Schemas['Profile']

/** The longest number of an animal. */
export const longestNumber = 40

/** An animal in the list, with what the list shows of its profile: many thousands of them can be loaded. */
export interface Animal extends Pet, Pick<Profile, 'number' | 'breed' | 'price' | 'currency' | 'published'> {
  /** The address of its first photo; undefined if it has none. */
  readonly photo: string | undefined
}

export const animalOf = ({ pet, number, breed, price, currency, published, photos }: Profile): Animal => ({
  ...pet,
  number,
  breed,
  price,
  currency,
  published,
  photo: photos[0]?.small,
})

export const petStates: Readonly<Record<PetStatus, StatusWords>> = {
  available: ['Available', 'good'],
  pending: ['Pending', 'warn'],
  sold: ['Sold', 'quiet'],
}
export const statuses = Object.keys(petStates) as readonly PetStatus[]

/** Follows the name of an animal whose status has changed. */
export const statusDone: Readonly<Record<PetStatus, string>> = {
  available: 'is available again',
  pending: 'is pending',
  sold: 'is sold',
}

/** The statuses that an animal takes one after the other to get from `from` to `to`: a sold animal must become available first. */
export function stepsTo(from: PetStatus, to: PetStatus): readonly PetStatus[] {
  if (from === to) return []
  return from === 'sold' && to === 'pending' ? ['available', to] : [to]
}

/** The statuses that one change can give to an animal, with the one that it has. */
export const reachableFrom = (from: PetStatus): readonly PetStatus[] =>
  statuses.filter((to) => stepsTo(from, to).length <= 1)

/** The filters by the profile, by their names in addresses: their words, and the parameters of the API. */
export const profileFilters = {
  unpublished: ['Not published', { published: false }],
  'no-photo': ['Without photo', { lacks: 'photos' }],
  'no-price': ['Without price', { lacks: 'price' }],
} as const
export type ProfileFilter = keyof typeof profileFilters
export const profileFilterNames = Object.keys(profileFilters) as readonly ProfileFilter[]

export interface Filters {
  readonly q: string | undefined
  readonly status: PetStatus | undefined
  readonly categoryId: number | undefined
  readonly profile: ProfileFilter | undefined
  /** The results of a search, and of a filter by the profile, are sorted by id: the API sorts them by nothing else. */
  readonly sort: SortKey
  /** Ids begin with the newest unless it is `asc`, everything else with the first unless it is `desc`. */
  readonly order: 'asc' | 'desc'
}

const sortKeys = ['id', 'name', 'status', 'category'] as const
export type SortKey = (typeof sortKeys)[number]

/** How a list that is sorted by something begins, unless its order was changed. */
export const usualOrder = (sort: SortKey): Filters['order'] => (sort === 'id' ? 'desc' : 'asc')

/** The filters in an address. What cannot be a filter is ignored: an old link still opens the list. */
export function filtersOf(parameters: URLSearchParams): Filters {
  const q = searchTextOf(parameters.get('q'))
  const profile = profileFilterNames.find((one) => one === parameters.get('profile'))
  const sort = (isSortable({ q, profile }) && sortKeys.find((one) => one === parameters.get('sort'))) || 'id'
  return {
    q,
    status: statuses.find((one) => one === parameters.get('status')),
    categoryId: idIn(parameters, 'category') || undefined,
    profile,
    sort,
    order: (['asc', 'desc'] as const).find((one) => one === parameters.get('order')) ?? usualOrder(sort),
  }
}

/** Whether the list can be sorted by something else than the id. */
export const isSortable = ({ q, profile }: Pick<Filters, 'q' | 'profile'>): boolean =>
  q === undefined && profile === undefined

/** The filters as parameters of the API. */
export const queryOf = ({ q, status, categoryId, profile }: Filters) =>
  defined({ q, status, categoryId, ...(profile && profileFilters[profile][1]) })

/** Filters as parameters of an address, without defaults. */
export const parametersOf = ({ q, status, categoryId, profile, sort, order }: Filters) => ({
  q,
  status,
  category: categoryId?.toString(),
  profile,
  sort: sort === 'id' ? undefined : sort,
  order: order === usualOrder(sort) ? undefined : order,
})

/** Filters as the end of an address: `?status=sold`, or nothing. */
export const searchOf = (filters: Filters): string =>
  addressWith('', withParameters(new URLSearchParams(), parametersOf(filters)))

/** Whether anything is left out of the list. */
export const isFiltered = (filters: Filters): boolean => Object.keys(queryOf(filters)).length > 0
