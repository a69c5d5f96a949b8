/** The filters and the order of the list of animals, as they stand in the address. */

import type { Schemas } from '../api/client.ts'
import { searchTextOf } from '../ui/address.ts'

export type Pet = Schemas['Pet']
export type PetStatus = Schemas['PetStatus']

export const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']
export const statusLabels: Readonly<Record<PetStatus, string>> = {
  available: 'Available',
  pending: 'Pending',
  sold: 'Sold',
}

export interface Filters {
  readonly q?: string
  readonly status?: PetStatus
  readonly categoryId?: number
  /** The newest animals come first unless it is `asc`. */
  readonly order: 'asc' | 'desc'
}

/** The filters in an address. What cannot be a filter is ignored: an old link still opens the list. */
export function filtersOf(parameters: URLSearchParams): Filters {
  const q = searchTextOf(parameters.get('q') ?? '')
  const status = statuses.find((one) => one === parameters.get('status'))
  const categoryId = Number(parameters.get('category'))
  return {
    ...(q === '' ? {} : { q }),
    ...(status === undefined ? {} : { status }),
    ...(Number.isSafeInteger(categoryId) && categoryId > 0 ? { categoryId } : {}),
    order: parameters.get('order') === 'asc' ? 'asc' : 'desc',
  }
}

/** Writes filters into the parameters of an address; what is the default is left out. */
export function withFilters(parameters: URLSearchParams, filters: Filters): URLSearchParams {
  const next = new URLSearchParams(parameters)
  const values: Readonly<Record<string, string | undefined>> = {
    q: filters.q,
    status: filters.status,
    category: filters.categoryId?.toString(),
    order: filters.order === 'asc' ? 'asc' : undefined,
  }
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}

/** Whether anything is left out of the list. */
export function isFiltered({ q, status, categoryId }: Filters): boolean {
  return q !== undefined || status !== undefined || categoryId !== undefined
}
