/** Texts of the owner within buttons and menus stay whole at 320 px. */

import { expect } from 'bun:test'
import type { Locator } from 'playwright-core'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectNoSidewaysScrolling } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const narrow = { viewport: { width: 320, height: 700 } }

/** Expects that the text of an element is neither cut nor outside of the window. */
async function expectWhole(locator: Locator): Promise<void> {
  const sizes = await locator.evaluate((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()]
    return { isCut: text.right > box.right + 1 || text.bottom > box.bottom + 1, right: text.right }
  })
  expect(sizes.isCut).toBe(false)
  expect(sizes.right).toBeLessThanOrEqual(320)
}

browserTest('the buttons that take a search without a hit or the name of an address have the whole text', async () => {
  await store.withPage(
    `/animals?q=${'w'.repeat(100)}`,
    async (page) => {
      const button = page.getByRole('link', { name: /^Add “w{100}”$/ })
      await button.waitFor()
      await expectNoSidewaysScrolling(page)
      await expectWhole(button)

      await goTo(page, '/projects?create=1')
      const dialog = page.getByRole('dialog', { name: 'New project' })
      await dialog.getByLabel('Name').fill(`https://www.${'w'.repeat(63)}.example/`)
      await expectWhole(dialog.getByRole('button', { name: /^Use the name/ }))
    },
    narrow,
  )
})

browserTest('the account menu has the whole e-mail address', async () => {
  const email = `${'w'.repeat(241)}@shop.example`
  await store.withPage(
    '/animals',
    async (page) => {
      await page.route('**/dashboard/session', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), owner: { email } } })
      })
      await page.reload()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('button', { name: 'Your account' }).click()
      await expectWhole(page.getByText(`Signed in as ${email}`))
      await expectNoSidewaysScrolling(page)
    },
    narrow,
  )
})
