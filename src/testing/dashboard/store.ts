/**
 * The dashboard in a real browser, on the compiled executable: starts a store, sets up its owner, and opens pages that are
 * signed in. A test fails at its end if its page wrote to the console, violated its policy or sent a request elsewhere.
 */

import { expect, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { axeFindings, hasBrowser, launchBrowser, openPage, type WatchedPage } from '../browser.ts'
import { emptyFolder, type PetstoreProcess, runPetstore, startPetstoreProcess } from '../executable.ts'

/** Browsers are slow on a busy machine. */
export const browserTimeoutMs = 120_000

export const owner = { email: 'jo@example.com', password: 'a long enough password' }

/** A test that needs Chromium and the executable. */
export const browserTest = (title: string, run: () => Promise<void>) =>
  test.skipIf(!hasBrowser)(title, run, browserTimeoutMs)

export interface DashboardStore {
  readonly url: string
  readonly setupUrl: string
  /** The server; `restart` replaces it. */
  readonly process: PetstoreProcess
  /** Sends a request to /v1 with a key that has every scope. Fails for a response that is an error. */
  send<T = unknown>(method: string, path: string, body?: object): Promise<T>
  /** Makes the owner and keeps the cookie for `withPage`. Called by it if the test has not. */
  signIn(): Promise<void>
  /** Opens a page below /dashboard in a context of its own, and expects no complaints at the end. */
  withPage(
    path: string,
    use: (page: Page, watched: WatchedPage) => Promise<void>,
    options?: BrowserContextOptions & { readonly isSignedOut?: boolean },
  ): Promise<void>
  /** Stops the server and starts it again at the same port; only for a store with `keepsData`. */
  restart(options?: { whileStopped?: () => Promise<void> }): Promise<void>
  stop(): Promise<void>
}

/** Starts a store, by default one in memory, and a browser. `hasDemo` fills a store that keeps its data. */
export async function startDashboard({
  keepsData = false,
  hasDemo = false,
  args = [] as readonly string[],
} = {}): Promise<DashboardStore> {
  const folder = emptyFolder()
  const given = [...(keepsData ? ['--data', folder.path] : ['--ephemeral']), ...args]
  const browser: Browser = await launchBrowser()
  if (hasDemo) await runPetstore(['demo', '--data', folder.path], { cwd: folder.path })
  let store = await startPetstoreProcess(given, { cwd: folder.path })
  const { url, key = '', setupUrl = '', port } = store.ready
  let cookies: { name: string; value: string; domain: string; path: string }[] | undefined

  async function signIn(): Promise<void> {
    if (cookies !== undefined) return
    const token = new URLSearchParams(new URL(setupUrl).hash.slice(1)).get('token')
    const response = await fetch(`${url}/dashboard/setup`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: url },
      body: JSON.stringify({ token, ...owner }),
    })
    if (!response.ok) throw new Error(`The owner could not be made: ${await response.text()}`)
    cookies = response.headers.getSetCookie().map((header) => {
      const [pair = '', ...attributes] = header.split('; ')
      const path = attributes.find((one) => one.startsWith('Path='))?.slice('Path='.length) ?? '/'
      const [name = '', ...value] = pair.split('=')
      return { name, value: value.join('='), domain: new URL(url).hostname, path }
    })
  }

  return {
    url,
    setupUrl,
    get process() {
      return store
    },
    signIn,
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
    async withPage(path, use, { isSignedOut = false, ...options } = {}) {
      if (!isSignedOut) await signIn()
      const watched = await openPage(browser, url, { locale: 'en-GB', reducedMotion: 'reduce', ...options })
      try {
        if (!isSignedOut) await watched.page.context().addCookies(cookies ?? [])
        await watched.page.goto(`${url}/dashboard${path}`)
        await watched.page.getByRole('heading', { level: 1 }).waitFor()
        await use(watched.page, watched)
        expect(watched.complaints).toEqual([])
      } finally {
        await watched.page.context().close()
      }
    },
    async restart({ whileStopped } = {}) {
      await store.stop()
      try {
        await whileStopped?.()
      } finally {
        store = await startPetstoreProcess([...given, '--port', String(port)], { cwd: folder.path })
      }
    },
    async stop() {
      await browser.close()
      await store.stop()
      folder.remove()
    },
  }
}

/** Expects no findings of axe-core in the light and in the dark scheme. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' })
    expect([colorScheme, await axeFindings(page)]).toEqual([colorScheme, []])
  }
}

/** Expects that nothing is wider than the window. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const [width, available] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const)
  expect(width).toBeLessThanOrEqual(available)
}
