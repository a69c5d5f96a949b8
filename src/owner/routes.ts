/** The handlers of the dashboard's own routes. */

import { dirname } from 'node:path'
import type { Static, TSchema } from '@sinclair/typebox'
import { storeAccount } from '../access/accounts/store-account.ts'
import { DashboardError } from '../access/owner/error.ts'
import { sessionEnd } from '../access/owner/rules.ts'
import { type Browser, endSession, findSession, liveSessions, type StartedSession } from '../access/owner/sessions.ts'
import { isLinkUsable, setUp } from '../access/owner/set-up.ts'
import { changeEmail, changePassword, confirmPassword, type SignInParts, signIn } from '../access/owner/sign-in.ts'
import type { OwnerRow, OwnerStore, SessionRow } from '../access/owner/store.ts'
import { contextOf } from '../api/context.ts'
import { sendEvents } from '../api/event-streams.ts'
import type { Container } from '../lib/container.ts'
import type { Environment } from '../lib/environment.ts'
import { AppError } from '../lib/error.ts'
import { version } from '../lib/version.ts'
import type { BackupCopies } from '../operate/backups/away/create.ts'
import type { BackupSchedule } from '../operate/backups/schedule/schedule.ts'
import type { OwnerMail } from '../operate/mail/create.ts'
import type { RunsAs } from '../operate/system/schemas.ts'
import { type Connection, warningOf } from './connection.ts'
import type { Cookies } from './cookies.ts'
import type { DashboardEndpoints } from './endpoints.ts'
import type { DownloadParts, Downloads } from './files.ts'
import type { LiveStreams } from './live.ts'

/** A request to one of the dashboard's own routes, after the checks that all routes share. */
export interface Exchange<B = unknown> {
  readonly request: Request
  readonly connection: Connection
  readonly browser: Browser
  readonly body: B
  /** The part of the path that stands for `{id}` or `{name}`. */
  readonly parameter: string
}

/** An exchange whose browser has a session. */
interface SignedExchange<B> extends Exchange<B> {
  readonly session: SessionRow
}

export interface Reply {
  /** Sent as JSON; without it the status is 204. */
  readonly body?: object
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[]
  /** The session has ended: nothing of the store stays in the browser. */
  readonly isSignedOut?: boolean
}

type BodyOf<E> = E extends { readonly body: infer S extends TSchema } ? Static<S> : undefined
type InputOf<E> = E extends { readonly needsSession: true } ? SignedExchange<BodyOf<E>> : Exchange<BodyOf<E>>
type Result = Reply | Response
export type DashboardHandlers = {
  readonly [K in keyof DashboardEndpoints]: (input: InputOf<DashboardEndpoints[K]>) => Result | Promise<Result>
}

interface InstallationParts {
  readonly owner: OwnerStore
  readonly mail: OwnerMail
  readonly environment: Environment
  readonly databasePath: string
  readonly executable: string | undefined
  readonly runsAs: RunsAs
  readonly container: Container | undefined
}

export interface DashboardParts extends SignInParts, DownloadParts, InstallationParts {
  readonly owner: OwnerStore
  readonly live: LiveStreams
  readonly backupSchedule: BackupSchedule
  readonly backupCopies: BackupCopies
}

/** The settings of mail with the address of the owner, of the schedule of backups, and of the bucket, for the pages. */
export type MailSettings = ReturnType<OwnerMail['view']> & { readonly to: string }
export type BackupScheduleView = NonNullable<ReturnType<BackupSchedule['view']>>
export type BucketView = NonNullable<ReturnType<BackupCopies['view']>>

const fileName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/

/** The activity of a session is stored at most this often, in milliseconds. */
const activityStepMs = 60_000

export function dashboardHandlers(parts: DashboardParts, cookies: Cookies, download: Downloads): DashboardHandlers {
  const { owner, accounts, writer, clock, dashboardTokens, mail } = parts
  const context = () => ({ actor: 'owner', nowMs: clock.now() }) as const

  function describeSession(session: SessionRow, currentId: number) {
    const { id, createdAt, lastActiveAt, userAgent, network } = session
    return {
      id,
      createdAt: time(createdAt),
      lastActiveAt: time(lastActiveAt),
      expiresAt: time(sessionEnd(session)),
      device: deviceOf(userAgent),
      address: network,
      isCurrent: id === currentId,
    }
  }

  function describe(session: SessionRow, connection: Connection) {
    const accountId = owner.installation().accountId ?? 0
    return {
      owner: { email: owner.find()?.email ?? '' },
      ...describeInstallation(parts, connection),
      version,
      account: { id: accountId, name: accounts.find(accountId)?.name ?? '' },
      session: describeSession(session, session.id),
    }
  }

  function signedIn({ connection }: Exchange, started: StartedSession): Reply {
    return {
      body: describe(started.session, connection),
      cookies: cookies.signedIn(started, connection.kind === 'https'),
    }
  }

  const signedOut = ({ connection }: Exchange): Reply => ({
    cookies: [cookies.signedOut(connection.kind === 'https')],
    isSignedOut: true,
  })

  /** A full disk must not prevent the owner from looking at the store. */
  async function saveActivity(session: SessionRow): Promise<SessionRow> {
    const lastActiveAt = clock.now()
    if (lastActiveAt - session.lastActiveAt < activityStepMs) return session
    try {
      await writer.write(() => owner.saveActivity(session.id, lastActiveAt))
      return { ...session, lastActiveAt }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return session
    }
  }

  /** Returns a function that adds an entry to the audit log, for the transaction of the change. */
  const audited = (action: string, details: Readonly<Record<string, unknown>>) => () => {
    parts.audit.add(context(), { action, accountId: storeAccount(parts, context()).id, details })
  }

  return {
    getSession: ({ session, connection }) => ({ body: describe(session, connection) }),
    setUp: async (input) => signedIn(input, await setUp(parts, input.body, input.browser)),
    checkSetupLink: ({ body }) => ({
      body: describeLink(isLinkUsable(parts, body.token), owner.find()),
    }),
    signIn: async (input) => signedIn(input, await signIn(parts, input.body, input.browser)),
    async signOut(input) {
      const session = findSession(owner, input.browser, clock.now())
      if (session) await writer.write(() => endSession(parts, session.id, context()))
      return signedOut(input)
    },
    async signOutEverywhere(input) {
      await writer.write(() => {
        const endedSessions = owner.deleteSessions()
        const accountId = storeAccount(parts, context()).id
        parts.audit.add(context(), { action: 'sessions.ended', accountId, details: { endedSessions } })
      })
      return signedOut(input)
    },
    async tradeToken({ session, body }) {
      const used = body.isActive ? await saveActivity(session) : session
      const ownAccountId = owner.installation().accountId ?? 0
      return {
        body: dashboardTokens.issue({ sessionId: used.id, sessionEndsAt: sessionEnd(used), ownAccountId }),
      }
    },
    listSessions: ({ session }) => ({
      body: liveSessions(owner, clock.now()).map((one) => describeSession(one, session.id)),
    }),
    async endSession(input) {
      const { parameter, session } = input
      const hasEnded = await writer.write(() => endSession(parts, Number(parameter), context()))
      if (!hasEnded) throw new AppError('not_found', 'This session has ended already.')
      return Number(parameter) === session.id ? signedOut(input) : {}
    },
    changeEmail: async ({ body, session }) => ({ body: { owner: await changeEmail(parts, body, session) } }),
    streamChanges: ({ request, session }) => sendEvents(request, (signal) => parts.live.open(session.id, signal)),
    exportPets(input) {
      const { search, searchParams } = new URL(input.request.url)
      const details = { format: searchParams.get('format') ?? 'csv' }
      return download(input, { path: `/exports/pets${search}`, entry: { action: 'pets.exported', details } })
    },
    downloadBackup(input) {
      const { parameter: name } = input
      if (!fileName.test(name)) throw new AppError('not_found', 'There is no such file.')
      return download(input, { path: `/backups/${name}` })
    },
    requestPasswordLink({ body }) {
      mail.requestPasswordLink(body.email)
      return {}
    },
    getMail: () => ({ body: { ...mail.view(), to: owner.find()?.email ?? '' } }),
    async changeMail({ body: { password, smtp, from, smtpPassword }, session }) {
      // Whoever reads the mail can choose a new password.
      await confirmPassword(parts, password, session)
      await mail.save({ smtp, from, password: smtpPassword }, audited('mail.changed', { smtp: smtp.trim(), from }))
      return {}
    },
    async turnMailOff() {
      await mail.save(undefined, audited('mail.changed', { smtp: null }))
      return {}
    },
    async sendTestMail({ request }) {
      contextOf(request)?.peer.timeout?.(request, 0)
      await mail.sendTest(request.signal)
      return {}
    },
    getBackups: () => ({
      body: { schedule: parts.backupSchedule.view() ?? null, copies: parts.backupCopies.view() ?? null },
    }),
    async backUpNow({ request }) {
      contextOf(request)?.peer.timeout?.(request, 0)
      return { body: await parts.backupSchedule.makeNow() }
    },
    async changeBucket({ body: { password, ...bucket }, session }) {
      // Backups go there, with keys and orders.
      await confirmPassword(parts, password, session)
      await parts.backupCopies.save(bucket, audited('bucket.changed', { address: bucket.address.trim() }))
      return {}
    },
    async leaveBucket() {
      await parts.backupCopies.save(undefined, audited('bucket.changed', { address: null }))
      return {}
    },
    async testBucket({ request }) {
      contextOf(request)?.peer.timeout?.(request, 0)
      return { body: await parts.backupCopies.test() }
    },
    createBackupKeys: async () => ({ body: await parts.backupCopies.createKeys(audited('bucket.encrypted', {})) }),
    async changeBackups({ body: { at, keep } }) {
      await parts.backupSchedule.save(
        { at, keep },
        audited('backups.changed', { ...(at && { at }), ...(keep && { keep }) }),
      )
      return {}
    },
    async changePassword({ body, session }) {
      await changePassword(parts, body, session)
      return {}
    },
  }
}

/** The facts that a browser without a session may know too. */
export function describeInstallation(
  { owner, environment, mail, databasePath, executable, runsAs, container }: InstallationParts,
  connection: Connection,
) {
  return {
    hasOwner: owner.find() !== undefined,
    environment,
    /** The page that signs in shows the command for a new set-up link. */
    place: {
      environment,
      folder: databasePath === ':memory:' ? null : dirname(databasePath),
      executable: executable ?? null,
      runsAs,
      container: container ?? null,
    },
    sendsMail: mail.isOpen(),
    connection: { kind: connection.kind, message: warningOf(connection) },
  }
}

/** The error for a request without a session. */
export function signedOutError(parts: InstallationParts, connection: Connection): DashboardError {
  const members = describeInstallation(parts, connection)
  return new DashboardError('signed_out', 'You are not signed in, or your session has ended. Sign in again.', {
    members,
  })
}

/** A usable link lets its bearer choose a new password for the owner: the page shows the owner's address. */
function describeLink(isUsable: boolean, owner: OwnerRow | undefined) {
  return { isUsable, hasOwner: owner !== undefined, ...(isUsable && owner ? { email: owner.email } : {}) }
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}

/** In this order: most browsers also name those that they descend from. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|OPT|OPiOS)\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChromium\//, 'Chromium'],
  [/\b(CriOS|Chrome|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/\bcurl\//, 'curl'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** The short name of a device for the list of sessions, such as `Firefox on Windows`, from its `User-Agent`. */
export function deviceOf(userAgent: string): string {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (browser === undefined) return system ?? 'Unknown device'
  return system === undefined ? browser : `${browser} on ${system}`
}
