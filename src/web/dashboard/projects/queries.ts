/** The queries of the pages of projects. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, pageOf, pageStart, type Schemas } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'

export type Project = Schemas['Project']
export type Deploy = Schemas['Deploy']

const pageSize = 50

export const projectsQuery = infiniteQueryOptions({
  queryKey: ['projects', 'list'],
  queryFn: ({ pageParam, signal }) =>
    pageOf(
      api.GET('/projects', {
        params: { query: { limit: pageSize, ...pageStart(pageParam) } },
        signal,
      }),
    ),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next,
  meta: { topics: ['projects', 'deploys', 'certificates'] },
})

/** The address that a project of that name would get. */
export const previewQuery = (name: string, accountId: number) =>
  queryOptions({
    queryKey: ['projects', 'preview', name, accountId],
    queryFn: ({ signal }) => bodyOf(api.GET('/projects/preview', { params: { query: { name, accountId } }, signal })),
    placeholderData: keepPreviousData,
    meta: { topics: ['projects'] },
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
            query: { limit: 20, ...pageStart(pageParam) },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    meta: { topics: ['deploys', 'projects'] },
  })

/** Makes a kept deploy the live one. */
export async function promote(projectId: number, deployId: number): Promise<void> {
  await api.POST('/projects/{projectId}/deploys/{deployId}/promote', { params: { path: { projectId, deployId } } })
  await refreshProjects()
}

export const refreshProjects = () => invalidateTopics(['projects', 'deploys', 'domains'])
