/** The queries of the pages of domains. */

import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { allOf, listQuery, pageOf } from '../api/lists.ts'
import { newRequest } from '../api/send.ts'

export type Domain = Schemas['Domain']
export type Finding = Schemas['Finding']

export const domainsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ['domains', projectId],
    queryFn: ({ signal }) =>
      allOf((start) => {
        const params = { path: { projectId }, query: { limit: 100, ...start } }
        return pageOf(api.GET('/projects/{projectId}/domains', { params, signal }))
      }),
    meta: { topics: ['domains', 'certificates'] },
  })

/** The steps of a check are seconds apart. */
const refreshMs = 5_000

export const domainQuery = (projectId: number, hostname: string) =>
  queryOptions({
    queryKey: ['domains', projectId, hostname],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/projects/{projectId}/domains/{hostname}', { params: { path: { projectId, hostname } }, signal }),
      ),
    refetchInterval: ({ state }) => (state.data?.state === 'active' ? false : refreshMs),
    meta: { topics: ['domains', 'certificates'] },
  })

export const domainEventsQuery = ({ projectId, hostname }: Domain) =>
  listQuery(['domains', projectId, hostname, 'events'], ['domains', 'certificates'], (start, signal) => {
    const params = { path: { projectId, hostname }, query: { limit: 20, ...start } }
    return pageOf(api.GET('/projects/{projectId}/domains/{hostname}/events', { params, signal }))
  })

/** Checks the records of a domain now. Resolves to the domain after the check. */
export function verifyDomain({ projectId, hostname }: Domain): Promise<Domain> {
  const params = { path: { projectId, hostname }, header: newRequest() }
  return bodyOf(api.POST('/projects/{projectId}/domains/{hostname}/verify', { params }))
}

export function addDomain(projectId: number, body: Schemas['NewDomain']): Promise<Domain> {
  return bodyOf(api.POST('/projects/{projectId}/domains', { params: { path: { projectId } }, body }))
}

/** Changes the use of a domain. */
export async function changeDomain({ projectId, hostname }: Domain, body: Schemas['DomainChange']): Promise<void> {
  await api.PATCH('/projects/{projectId}/domains/{hostname}', { params: { path: { projectId, hostname } }, body })
}

export async function removeDomain({ projectId, hostname }: Domain): Promise<void> {
  await api.DELETE('/projects/{projectId}/domains/{hostname}', { params: { path: { projectId, hostname } } })
}
