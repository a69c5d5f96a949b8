/** Signing in again above a page whose session has ended. */

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { owner } from '../../../testing/dashboard/open.ts'
import {
  browserTest,
  type DashboardStore,
  dashboardForTests,
  expectAccessible,
} from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

const password = (page: Page) => page.getByRole('textbox', { name: 'Password' })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' })

/** Opens the overview with a separate session, which `use` may end. */
async function withOwnSession(use: Parameters<DashboardStore['withPage']>[1]): Promise<void> {
  await store.signIn()
  await store.withPage(
    '/',
    async (page, watched) => {
      await page.getByLabel('E-mail').fill(owner.email)
      await password(page).fill(owner.password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await use(page, watched)
      // The browser itself reports each 401, and the end of the stream.
      watched.removeExpected(/401 \(Unauthorized\)|ERR_INCOMPLETE_CHUNKED_ENCODING/)
    },
    { isSignedOut: true },
  )
}

/** Sends a request of another window with the same session. */
const sendElsewhere = (page: Page, path: string, body?: object) =>
  page.evaluate(
    async ([url, json]) => {
      const headers = { 'Content-Type': 'application/json' }
      const { status } = await fetch(url, { method: 'POST', ...(json === undefined ? {} : { headers, body: json }) })
      return status
    },
    [`/dashboard${path}`, body === undefined ? undefined : JSON.stringify(body)] as const,
  )

browserTest(
  'a page whose session has ended opens no stream of events until the owner has signed in again',
  async () => {
    await withOwnSession(async (page) => {
      const streams: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/dashboard/live')) streams.push(request.url())
      })
      await sendElsewhere(page, '/sign-out')
      await dialog(page).waitFor()
      expect(streams).toEqual([])
      await password(page).fill(owner.password)
      await page.keyboard.press('Enter')
      await dialog(page).waitFor({ state: 'detached' })
      await store.send('POST', '/pets', { name: 'Announced', categoryId: 1 })
      await page.getByRole('link', { name: /^Available animals\s*1$/ }).waitFor()
      expect(streams).toHaveLength(1)

      // A page stops asking for the password when the owner has signed in in another window.
      await sendElsewhere(page, '/sign-out')
      await dialog(page).waitFor()
      expect(await sendElsewhere(page, '/sign-in', owner)).toBe(200)
      await page.evaluate(() => dispatchEvent(new Event('focus')))
      await dialog(page).waitFor({ state: 'detached' })
    })
  },
)

browserTest('the dialog takes the new e-mail address where it was changed on another device', async () => {
  await withOwnSession(async (page) => {
    const email = 'new@example.com'
    const headers = { 'Content-Type': 'application/json', Origin: store.url }
    const send = (path: string, body: object, rest: object = {}) =>
      fetch(`${store.url}/dashboard${path}`, {
        method: 'POST',
        headers: { ...headers, ...rest },
        body: JSON.stringify(body),
      })
    const cookie = (await send('/sign-in', owner)).headers.getSetCookie().map((one) => one.split(';')[0])
    expect((await send('/email', { email, password: owner.password }, { Cookie: cookie.join('; ') })).status).toBe(200)
    await dialog(page).waitFor()
    expect(await dialog(page).getByLabel('E-mail').count()).toBe(0)
    await password(page).fill(owner.password)
    await page.keyboard.press('Enter')
    await dialog(page).getByText('If you changed your e-mail address, enter the new one.').waitFor()
    expect(await dialog(page).getByLabel('E-mail').inputValue()).toBe(owner.email)
    await expectAccessible(page)
    await dialog(page).getByLabel('E-mail').fill(email)
    await password(page).fill(owner.password)
    await page.keyboard.press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
  })
})
