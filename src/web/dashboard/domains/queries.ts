/** The queries of the pages of domains. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allOf, api, bodyOf, pageOf, pageStart, type Schemas } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'
import { newRequest } from '../api/send.ts'

export type Domain = Schemas['Domain']
export type Finding = Schemas['Finding']

export const domainsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ['domains', projectId],
    queryFn: ({ signal }) =>
      allOf((start) =>
        pageOf(
          api.GET('/projects/{projectId}/domains', {
            params: { path: { projectId }, query: { limit: 100, ...start } },
            signal,
          }),
        ),
      ),
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

export const domainEventsQuery = (projectId: number, hostname: string) =>
  infiniteQueryOptions({
    queryKey: ['domains', projectId, hostname, 'events'],
    queryFn: ({ pageParam, signal }) =>
      pageOf(
        api.GET('/projects/{projectId}/domains/{hostname}/events', {
          params: {
            path: { projectId, hostname },
            query: { limit: 20, ...pageStart(pageParam) },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    meta: { topics: ['domains', 'certificates'] },
  })

/** Checks the records of a domain now. Resolves to the domain after the check. */
export async function verifyDomain({ projectId, hostname }: Domain): Promise<Domain> {
  const params = { path: { projectId, hostname }, header: newRequest() }
  const checked = await bodyOf(api.POST('/projects/{projectId}/domains/{hostname}/verify', { params }))
  await invalidateTopics(['domains'])
  return checked
}

export async function addDomain(projectId: number, body: Schemas['NewDomain']): Promise<Domain> {
  const params = { path: { projectId } }
  const domain = await bodyOf(api.POST('/projects/{projectId}/domains', { params, body }))
  await invalidateTopics(['domains'])
  return domain
}

/** Changes what a domain is used for. */
export async function changeDomain({ projectId, hostname }: Domain, body: Schemas['DomainChange']): Promise<void> {
  await api.PATCH('/projects/{projectId}/domains/{hostname}', { params: { path: { projectId, hostname } }, body })
  await invalidateTopics(['domains'])
}

export async function removeDomain({ projectId, hostname }: Domain): Promise<void> {
  await api.DELETE('/projects/{projectId}/domains/{hostname}', { params: { path: { projectId, hostname } } })
}
