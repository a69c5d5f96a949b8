/** The queries of the page of the web shop. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { isApiError } from '../api/error.ts'

export type Website = Schemas['Website']
export type WebsiteChange = Schemas['WebsiteChange']

/** Null while there is no web shop. */
export const websiteQuery = queryOptions({
  queryKey: ['website'],
  async queryFn({ signal }) {
    try {
      return await bodyOf(api.GET('/store/website', { signal }))
    } catch (error) {
      if (isApiError(error, 'not_found')) return null
      throw error
    }
  },
  meta: { topics: ['website', 'pets', 'profiles', 'projects', 'domains'] },
})

/** The front page as it would be after a change. */
export const previewQuery = (body: WebsiteChange) =>
  queryOptions({
    queryKey: ['website', 'preview', body],
    queryFn: ({ signal }) => bodyOf(api.POST('/store/website/preview', { body, signal })),
    placeholderData: keepPreviousData,
  })
