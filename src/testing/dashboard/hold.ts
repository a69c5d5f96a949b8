/** Requests and responses of a page that a test delays, to see what happens when a response arrives late. */

import type { Page } from 'playwright-core'

/** Holds back the requests with a method to an address until they are released, or fail without a response. */
export async function hold(page: Page, method: string, address: RegExp) {
  const { promise, resolve } = Promise.withResolvers<'release' | 'fail'>()
  const sent = page.waitForRequest((request) => request.method() === method && address.test(request.url()))
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    await ((await promise) === 'release' ? route.fallback() : route.abort())
  })
  return {
    /** Resolves when the first of them is sent. */
    sent,
    release: () => resolve('release'),
    fail: () => resolve('fail'),
  }
}

/** Sends the requests with a method to an address at once, and holds back their responses until they are released. */
export async function holdResponse(page: Page, method: string, address: RegExp) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    const response = await route.fetch()
    await promise
    await route.fulfill({ response })
  })
  return { release: resolve }
}
