/**
 * The dashboard in a real browser, on the compiled executable: starts a store, sets up its owner, and opens pages that
 * are signed in. A test fails at its end if its page wrote to the console, violated its policy or sent a request
 * elsewhere.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeFindings, colourRules, hasBrowser } from '../browser.ts'
import { emptyFolder, type PetstoreProcess, runPetstore, startPetstoreProcess } from '../executable.ts'
import { type OpenDashboard, openDashboard } from './open.ts'

/** Browsers are slow on a busy machine. */
export const browserTimeoutMs = 120_000

/** A test that needs Chromium and the executable. */
export const browserTest = (title: string, run: () => Promise<void>) =>
  test.skipIf(!hasBrowser)(title, run, browserTimeoutMs)

export interface DashboardStore extends Pick<OpenDashboard, 'signIn' | 'withPage'> {
  readonly url: string
  readonly setupUrl: string
  /** The server; `restart` replaces it. */
  readonly process: PetstoreProcess
  /** Sends a request to /v1 with a key that has every scope. Fails for a response that is an error. */
  send<T = unknown>(method: string, path: string, body?: object): Promise<T>
  /** Stops the server and starts it again at the same port; only for a store with `keepsData`. */
  restart(options?: { whileStopped?: () => Promise<void> }): Promise<void>
  stop(): Promise<void>
}

interface DashboardOptions {
  readonly keepsData?: boolean
  /** Fills a store that keeps its data. */
  readonly hasDemo?: boolean
  /** Further arguments of `petstore serve`. */
  readonly args?: readonly string[]
  /** The host at which the browser opens the pages, `lanAddress` or `publicName`; 127.0.0.1 unless given. */
  readonly host?: string
}

/**
 * The port of the last store of this process that has stopped; 0 if there is none. The browser keeps the files of the
 * dashboard for an address, and with them its compiled code: at a new address, the first page takes twice as long.
 */
let freePort = 0

/** Starts a store, by default one in memory. */
export async function startDashboard({
  keepsData = false,
  hasDemo = false,
  args = [],
  host,
}: DashboardOptions = {}): Promise<DashboardStore> {
  const folder = emptyFolder()
  const given = [...(keepsData ? ['--data', folder.path] : ['--ephemeral']), ...args]
  if (hasDemo) await runPetstore(['demo', '--data', folder.path], { cwd: folder.path })
  const start = (at: number) => startPetstoreProcess([...given, '--port', String(at)], { cwd: folder.path })
  const wanted = freePort
  freePort = 0
  // Another program may have taken it meanwhile.
  let store = await start(wanted).catch(() => start(0))
  const { url, key = '', setupUrl = '', port } = store.ready
  const dashboard = openDashboard(() => url, setupUrl, host)

  return {
    url,
    setupUrl,
    signIn: dashboard.signIn,
    withPage: dashboard.withPage,
    get process() {
      return store
    },
    async send<T>(method: string, path: string, body?: object): Promise<T> {
      const response = await fetch(`${url}/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
      return (text === '' ? undefined : JSON.parse(text)) as T
    },
    async restart({ whileStopped } = {}) {
      await store.stop()
      try {
        await whileStopped?.()
      } finally {
        store = await start(port)
      }
    },
    async stop() {
      await store.stop()
      freePort = port
      folder.remove()
    },
  }
}

/**
 * Expects no findings of axe-core in the colour scheme that the page has, and none about colours in the other one, which
 * the page has afterwards: in the dialog if one is open, which hides the rest of the page.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const dialog = '[role="dialog"]'
  const part = (await page.locator(dialog).count()) > 0 ? dialog : ':root'
  const scheme = await page.locator('html').getAttribute('data-mantine-color-scheme')
  expect([page.url(), scheme, await axeFindings(page, part)]).toEqual([page.url(), scheme, []])
  const colorScheme = scheme === 'light' ? 'dark' : 'light'
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' })
  expect([page.url(), colorScheme, await axeFindings(page, part, colourRules)]).toEqual([page.url(), colorScheme, []])
}

/** Expects that nothing is wider than the window. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const [width, available] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const)
  expect(width).toBeLessThanOrEqual(available)
}

/** What a test uses of the store; it exists while tests run. */
export type SuiteStore = Omit<DashboardStore, 'stop'>

/**
 * Starts a store for the tests of the calling file, if there is a browser. `prepare` fills it before the first test.
 */
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
