/** The queries of the page of settings. */

import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../api/client.ts'
import { fetchDashboard } from '../session/request.ts'

export interface OwnerSession {
  readonly id: number
  readonly createdAt: string
  readonly lastActiveAt: string
  readonly expiresAt: string
  /** Browser and system, in words. */
  readonly device: string
  readonly address: string
  readonly isCurrent: boolean
}

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => fetchDashboard<readonly OwnerSession[]>('GET', '/sessions'),
  meta: { topics: ['sessions', 'owner'] },
})

export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: ({ signal }) => bodyOf(api.GET('/backups', { params: { query: { limit: 100 } }, signal })),
  meta: { topics: ['backups'] },
})

export interface MailSettings {
  /** Such as `smtps://USER@HOST:465`; null if mail is off. */
  readonly smtp: string | null
  readonly from: string | null
  /** The address of the owner. */
  readonly to: string
  /** Whether the start names the server. */
  readonly isGiven: boolean
  readonly heldSince: string | null
  readonly lastSentAt: string | null
  readonly fault: string | null
}

export const mailQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: () => fetchDashboard<MailSettings>('GET', '/mail'),
  meta: { topics: ['mail', 'owner'] },
})
