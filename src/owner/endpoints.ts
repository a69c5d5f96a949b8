/**
 * The dashboard's own routes, which take the cookie of the session. For everything else the dashboard uses the API.
 */

import { type TSchema, Type } from '@sinclair/typebox'
import { openObject } from '../api/schemas.ts'

/** Longer than any accepted password or address: later checks have better messages. */
const longestText = 4_096

const text = () => Type.String({ maxLength: longestText })

interface DashboardEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `{id}` stands for a positive integer, `{name}` for a file name. */
  readonly path: string
  /** Whether only a browser with a session may send it. */
  readonly needsSession: boolean
  readonly body?: TSchema
  /** Whether the body may be missing. */
  readonly isBodyOptional?: boolean
}

export const dashboardEndpoints = {
  getSession: { method: 'GET', path: '/dashboard/session', needsSession: true },
  setUp: {
    method: 'POST',
    path: '/dashboard/setup',
    needsSession: false,
    body: openObject({ token: text(), email: text(), password: text() }),
  },
  checkSetupLink: {
    method: 'POST',
    path: '/dashboard/setup-link',
    needsSession: false,
    body: openObject({ token: text() }),
  },
  signIn: {
    method: 'POST',
    path: '/dashboard/sign-in',
    needsSession: false,
    body: openObject({ email: text(), password: text() }),
  },
  signOut: { method: 'POST', path: '/dashboard/sign-out', needsSession: false },
  signOutEverywhere: { method: 'POST', path: '/dashboard/sign-out-everywhere', needsSession: true },
  tradeToken: {
    method: 'POST',
    path: '/dashboard/token',
    needsSession: true,
    isBodyOptional: true,
    body: openObject({ isActive: Type.Optional(Type.Boolean()) }),
  },
  listSessions: { method: 'GET', path: '/dashboard/sessions', needsSession: true },
  endSession: { method: 'DELETE', path: '/dashboard/sessions/{id}', needsSession: true },
  changeEmail: {
    method: 'POST',
    path: '/dashboard/email',
    needsSession: true,
    body: openObject({ email: text(), password: text() }),
  },
  requestPasswordLink: {
    method: 'POST',
    path: '/dashboard/password-link',
    needsSession: false,
    body: openObject({ email: text() }),
  },
  getMail: { method: 'GET', path: '/dashboard/mail', needsSession: true },
  changeMail: {
    method: 'POST',
    path: '/dashboard/mail',
    needsSession: true,
    body: openObject({ password: text(), smtp: text(), from: text(), smtpPassword: Type.Optional(text()) }),
  },
  turnMailOff: { method: 'DELETE', path: '/dashboard/mail', needsSession: true },
  sendTestMail: { method: 'POST', path: '/dashboard/mail/test', needsSession: true },
  getBackups: { method: 'GET', path: '/dashboard/backups', needsSession: true },
  changeBackups: {
    method: 'POST',
    path: '/dashboard/backups',
    needsSession: true,
    body: openObject({ at: Type.Optional(text()), keep: Type.Optional(text()) }),
  },
  backUpNow: { method: 'POST', path: '/dashboard/backups/now', needsSession: true },
  changeBucket: {
    method: 'POST',
    path: '/dashboard/backups/bucket',
    needsSession: true,
    body: openObject({
      password: text(),
      address: text(),
      endpoint: Type.Optional(text()),
      region: Type.Optional(text()),
      accessKeyId: text(),
      secretAccessKey: Type.Optional(text()),
    }),
  },
  leaveBucket: { method: 'DELETE', path: '/dashboard/backups/bucket', needsSession: true },
  testBucket: { method: 'POST', path: '/dashboard/backups/bucket/test', needsSession: true },
  createBackupKeys: { method: 'POST', path: '/dashboard/backups/keys', needsSession: true },
  streamChanges: { method: 'GET', path: '/dashboard/live', needsSession: true },
  exportPets: { method: 'GET', path: '/dashboard/files/exports/pets', needsSession: true },
  downloadBackup: { method: 'GET', path: '/dashboard/files/backups/{name}', needsSession: true },
  changePassword: {
    method: 'POST',
    path: '/dashboard/password',
    needsSession: true,
    body: openObject({ password: text(), newPassword: text() }),
  },
} as const satisfies Readonly<Record<string, DashboardEndpoint>>
export type DashboardEndpoints = typeof dashboardEndpoints
