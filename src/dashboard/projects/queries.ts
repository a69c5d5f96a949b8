/** What the pages of projects read. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allOf, api, bodyOf, pageOf, type Schemas } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'

export type Project = Schemas['Project']
export type Deploy = Schemas['Deploy']

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) =>
    allOf((cursor) =>
      pageOf(
        api.GET('/projects', {
          params: { query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } },
          signal,
        }),
      ),
    ),
  meta: { topics: ['projects', 'deploys', 'certificates'] },
})

export const projectQuery = (projectId: number) =>
  queryOptions({
    queryKey: ['projects', projectId],
    queryFn: ({ signal }) => bodyOf(api.GET('/projects/{projectId}', { params: { path: { projectId } }, signal })),
    meta: { topics: ['projects', 'deploys', 'certificates'] },
  })

export const deploysQuery = (projectId: number) =>
  infiniteQueryOptions({
    queryKey: ['projects', projectId, 'deploys'],
    queryFn: ({ pageParam, signal }) =>
      pageOf(
        api.GET('/projects/{projectId}/deploys', {
          params: {
            path: { projectId },
            query: { limit: 20, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    meta: { topics: ['deploys', 'projects'] },
  })

export const refreshProjects = () => invalidateTopics(['projects', 'deploys', 'domains'])
