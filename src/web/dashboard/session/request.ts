/** Requests to the dashboard's own routes, which use the cookie of the session. */

import { fetchOrExplain, requireSuccess } from '../api/error.ts'

/** Sends a request below /dashboard. Throws an ApiError for an error, a NoConnectionError without a response. */
export async function fetchDashboard<T = undefined>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetchOrExplain(`/dashboard${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    cache: 'no-store',
  })
  await requireSuccess(response)
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}
