/** The queries of the pages of projects. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { allOf, listQuery, pageOf } from '../api/lists.ts'

export type Project = Schemas['Project']
export type Deploy = Schemas['Deploy']

/** Whether there is something to see at its address. */
export const isPublished = ({ liveDeploy, hasWebshop }: Project): boolean => liveDeploy !== null || hasWebshop

const pageSize = 50

export const projectsQuery = listQuery(['projects', 'list'], ['projects', 'deploys', 'certificates'], (start, signal) =>
  pageOf(api.GET('/projects', { params: { query: { limit: pageSize, ...start } }, signal })),
)

export const allProjectsQuery = queryOptions({
  queryKey: ['projects', 'all'],
  queryFn: ({ signal }) =>
    allOf((start) => pageOf(api.GET('/projects', { params: { query: { limit: 100, ...start } }, signal }))),
  meta: { topics: ['projects'] },
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
  listQuery(['projects', projectId, 'deploys'], ['deploys', 'projects'], (start, signal) => {
    const params = { path: { projectId }, query: { limit: 20, ...start } }
    return pageOf(api.GET('/projects/{projectId}/deploys', { params, signal }))
  })

/** Makes a kept deploy the live one. */
export async function promote(projectId: number, deployId: number): Promise<void> {
  await api.POST('/projects/{projectId}/deploys/{deployId}/promote', { params: { path: { projectId, deployId } } })
}
