/** A store for tests whose owner gets mail through a real mail server; the test moves its clock. */

import type { AttentionItem } from '../../../api/attention.ts'
import type { AppConfig } from '../../../app/app-parts.ts'
import { type MailConfig, mailConfig } from '../../../config/mail.ts'
import { openDatabase } from '../../../database/open.ts'
import { openTestDashboard } from '../../../owner/testing/dashboard.ts'
import { mailPassword, type TestMailServer } from './mail-server.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The configuration of a store that uses a mail server by the options of its start. */
export function mailOf(server: TestMailServer): MailConfig | undefined {
  return mailConfig({ smtp: server.url, 'smtp-password': mailPassword })
}

/** Resolves once `isTrue`: what it waits for is under way, as requests of this process to itself are. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}

async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Opens a store with an owner. `items` are things that need attention besides those that the store finds itself. */
export async function openMailStore(config: Partial<AppConfig> = {}) {
  const database = openDatabase(config.databasePath ?? ':memory:', 0)
  const dashboard = await openTestDashboard(config, database)
  const items: AttentionItem[] = []
  dashboard.app.attention.add(() => items)
  const browser = await dashboard.setUp()
  const { app, clock } = dashboard
  const isQuiet = () => app.mails.all().every(({ nextAt }) => nextAt === null || nextAt > clock.now())
  /** Jobs have ended or wait for the mail server: what they have written is on disk. */
  async function settle(): Promise<void> {
    await turns()
    await app.writer.write(() => {}).catch(() => {})
    await turns()
  }

  return {
    ...dashboard,
    database,
    settle,
    items,
    /** The browser of the owner. */
    owner: browser,
    /** Adds something that needs attention from now on. */
    begin: (kind: string, name: string | null = null, id: number | null = null) =>
      void items.push({ kind, id, name, sinceMs: clock.now() }),
    /** Lets time pass in steps, and after each one waits until what is due has been tried. */
    async pass(ms: number, stepMs = ms > hourMs ? 10 * minuteMs : minuteMs): Promise<void> {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.advance(Math.min(stepMs, ms - passed))
        await settle()
        if (isQuiet()) continue
        // The job that sends begins a second after it was woken.
        clock.advance(1_000)
        await until(isQuiet)
        await settle()
      }
    },
  }
}
export type MailStoreForTests = Awaited<ReturnType<typeof openMailStore>>
