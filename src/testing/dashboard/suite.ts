/** The store of a test file: it starts before the first test and stops after the last one. */

import { afterAll, beforeAll } from 'bun:test'
import { hasBrowser } from '../browser.ts'
import { browserTimeoutMs, type DashboardOptions, type DashboardStore, startDashboard } from './store.ts'

/** What a test uses of the store; it exists while tests run. */
export type SuiteStore = Omit<DashboardStore, 'stop'>

/** Starts a store for the tests of the calling file, if there is a browser. `prepare` fills it before the first test. */
export function dashboardForTests(
  options: DashboardOptions = {},
  prepare: () => Promise<unknown> = () => Promise.resolve(),
): SuiteStore {
  let started: DashboardStore | undefined
  const now = (): DashboardStore => {
    if (started === undefined) throw new Error('The store is not running: use it inside of tests alone.')
    return started
  }
  beforeAll(async () => {
    if (!hasBrowser) return
    started = await startDashboard(options)
    await prepare()
  }, browserTimeoutMs)
  afterAll(() => started?.stop())
  return {
    get url() {
      return now().url
    },
    get setupUrl() {
      return now().setupUrl
    },
    get process() {
      return now().process
    },
    signIn: () => now().signIn(),
    withPage: (...parameters) => now().withPage(...parameters),
    send: (...parameters) => now().send(...parameters),
    restart: (...parameters) => now().restart(...parameters),
  }
}
