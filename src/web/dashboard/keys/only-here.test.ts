import { expect } from 'bun:test'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'
import { onlyHereHint } from '../api/system.ts'

const store = dashboardForTests()

browserTest(
  'an address that other computers cannot reach is shown with what to do, for a new key and in the settings',
  async () => {
    await store.withPage('/keys?create=1', async (page) => {
      const form = page.getByRole('dialog', { name: 'Create key' })
      await form.getByLabel('Name').fill('Partner')
      await form.getByRole('button', { name: 'Create key' }).click()
      const hint = page.getByRole('dialog', { name: 'Your new key' }).getByText(onlyHereHint)
      await hint.waitFor()
      expect(await hint.count()).toBe(1)
      await page.getByRole('button', { name: 'Copy key' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      await goTo(page, '/settings')
      const setting = page.getByRole('region', { name: 'Store' }).getByText(onlyHereHint)
      await setting.waitFor()
      expect(await setting.count()).toBe(1)
    })
  },
)
