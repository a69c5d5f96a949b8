/** Pages of the browser that are signed in to the dashboard of a running server. */

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type PageOptions, type WatchedPage, withPage } from '../browser.ts'

export const owner = { email: 'jo@example.com', password: 'a long enough password' }

export interface OpenDashboard {
  /** Makes the owner and keeps the cookie for `withPage`, which calls this function if the test has not. */
  signIn(): Promise<void>
  /** Opens a page below /dashboard, and expects no complaints at the end. */
  withPage(
    path: string,
    use: (page: Page, watched: WatchedPage) => Promise<void>,
    options?: PageOptions & { readonly isSignedOut?: boolean },
  ): Promise<void>
}

/**
 * The server has no owner yet: the set-up link makes one. `address` gives the URL of the server, which may change when
 * it is restarted. With `host`, pages are opened at that host, which leads to this machine.
 */
export function openDashboard(address: () => string, setupUrl: string, host?: string): OpenDashboard {
  let cookies: { name: string; value: string; domain: string; path: string }[] | undefined

  async function signIn(): Promise<void> {
    if (cookies !== undefined) return
    const url = address()
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
      return { name, value: value.join('='), domain: host ?? new URL(url).hostname, path }
    })
  }

  return {
    signIn,
    async withPage(path, use, { isSignedOut = false, ...options } = {}) {
      if (!isSignedOut) await signIn()
      const url = host === undefined ? address() : `http://${host}:${new URL(address()).port}`
      await withPage(
        url,
        async (watched) => {
          if (!isSignedOut) await watched.page.context().addCookies(cookies ?? [])
          await watched.page.goto(`${url}/dashboard${path}`)
          await watched.page.getByRole('heading', { level: 1 }).waitFor()
          await loaded(watched.page)
          await use(watched.page, watched)
          expect(watched.complaints).toEqual([])
        },
        options,
      )
    },
  }
}

/**
 * Waits until the page has loaded all but what follows at the end of a list. Before that its parts move, and a click
 * can miss.
 */
export async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('.loading:not([aria-label^="Loading more"])') === null)
}

/** Leads the page to another path below /dashboard without loading the page again, as a link of the dashboard does. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((url) => history.pushState(null, '', url), `/dashboard${path}`)
  await loaded(page)
}
