import { expect } from 'bun:test'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('the usage of an account is a chart and a table', async () => {
  await store.withPage('/keys/usage?days=7', async (page) => {
    await page.getByRole('img', { name: /Requests of Store/ }).waitFor()
    await page.getByRole('button', { name: 'Show as table' }).click()
    expect(await page.getByRole('row').count()).toBe(8)
    await expectAccessible(page)
  })
})

browserTest('the audit log is filtered by who, what, account and day, and fits 320 px', async () => {
  await store.send('POST', '/keys', { name: 'Audited', scopes: ['pets:read'] })
  await store.withPage(
    '/keys/audit',
    async (page) => {
      await page.getByLabel('What').selectOption('Sign-ins')
      await page.waitForURL('**/audit?what=session')
      await page.getByRole('cell', { name: 'Signed in' }).first().waitFor()
      await page
        .getByRole('cell', { name: /Audited/ })
        .first()
        .waitFor({ state: 'detached' })
      await page.getByLabel('From').fill('2099-01-01')
      await page.getByText('No matching entries').waitFor()
      await expectNoSidewaysScrolling(page)
      await page.getByRole('link', { name: 'Show all entries' }).click()
      await page
        .getByRole('cell', { name: /Audited/ })
        .first()
        .waitFor()
    },
    { viewport: { width: 320, height: 700 } },
  )
})
