/** The page to sign in explains an e-mail address that no owner can have in its own words. */

import { expect } from 'bun:test'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({}, () => store.signIn())

browserTest('signing in with an endless address fails as with any other wrong one', async () => {
  await store.withPage(
    '/',
    async (page, watched) => {
      const email = `${'a'.repeat(5_000)}@shop.example`
      const address = page.url()
      await page.getByLabel('E-mail').fill(email)
      await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password')
      await page.keyboard.press('Enter')
      await page.getByText('The e-mail address or the password is wrong.').waitFor()
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('password')
      expect(await page.getByLabel('E-mail').inputValue()).toBe(email)
      expect([page.url(), await page.getByRole('heading', { level: 1 }).textContent()]).toEqual([address, 'Sign in'])
      watched.removeExpected(/401/)
    },
    { isSignedOut: true },
  )
})
