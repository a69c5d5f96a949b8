/** The queries of the overview. */

import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf, pageOf, type Schemas } from '../api/client.ts'

export type Overview = Schemas['Overview']
export type Attention = Overview['attention'][number]

export const shownDays = 30
/** Requests are counted all the time without being announced. */
const refreshMs = 30_000

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => bodyOf(api.GET('/overview', { params: { query: { days: shownDays } }, signal })),
  refetchInterval: refreshMs,
  meta: { topics: ['pets', 'orders', 'keys', 'bans', 'domains', 'certificates', 'backups', 'accounts'] },
})

/** Whether the first steps with the store are done. */
export interface FirstSteps {
  /** Whether animals have been imported; other animals can be there without. */
  readonly hasImport: boolean
  readonly hasKey: boolean
  readonly hasSite: boolean
}

export const firstStepsQuery = queryOptions({
  queryKey: ['overview', 'steps'],
  queryFn: async ({ signal }): Promise<FirstSteps> => {
    const [imports, created, projects] = await Promise.all([
      pageOf(api.GET('/imports', { params: { query: { limit: 1 } }, signal })),
      pageOf(api.GET('/audit', { params: { query: { action: 'key.created', limit: 100 } }, signal })),
      pageOf(api.GET('/projects', { params: { query: { limit: 100 } }, signal })),
    ])
    return {
      hasImport: imports.items.length > 0,
      // The first start of a store prints a key, which nobody has requested.
      hasKey: created.items.some(({ actor }) => actor !== 'system'),
      hasSite: projects.items.some(({ liveDeploy }) => liveDeploy !== null),
    }
  },
  meta: { topics: ['imports', 'keys', 'projects', 'deploys'] },
})
