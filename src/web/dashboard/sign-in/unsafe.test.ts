/** At a public name without HTTPS, the page says how to reach the store safely. */

import { expect } from 'bun:test'
import { publicName } from '../../../testing/browser.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const host = publicName
const store = dashboardForTests({ host })

browserTest('signing in and set-up over a public address are refused with the way through a tunnel', async () => {
  const { port } = new URL(store.url)
  for (const path of ['/', new URL(store.setupUrl).pathname.replace('/dashboard', '') + new URL(store.setupUrl).hash]) {
    await store.withPage(
      path,
      async (page, watched) => {
        expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('This connection is not safe')
        const text = await page.getByRole('main').textContent()
        expect(text).toContain(`ssh -L ${port}:127.0.0.1:${port} USER@SERVER`)
        expect(text).toContain(
          `open the same address or set-up link with http://127.0.0.1:${port} instead of http://${host}:${port}`,
        )
        expect(await page.getByRole('button').count()).toBe(0)
        await expectAccessible(page)
        watched.removeExpected(/40[13]/)
      },
      { isSignedOut: true },
    )
  }
})
