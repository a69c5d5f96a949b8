import { expect } from 'bun:test'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('the requests of an account are not shown under the name of another one that is loaded', async () => {
  const { id } = await store.send<{ id: number }>('POST', '/accounts', { name: 'Quiet shop' })
  await store.withPage('/keys/usage', async (page) => {
    const pending = Promise.withResolvers<void>()
    await page.route(`**/v1/accounts/${id}/usage*`, async (route) => {
      await pending.promise
      await route.continue()
    })
    await page.getByRole('img', { name: 'Requests of Store' }).waitFor()
    await page.getByRole('combobox', { name: 'Account' }).fill('quiet')
    await page.getByRole('option', { name: 'Quiet shop' }).click()
    await page.getByRole('heading', { name: 'Requests of Quiet shop' }).waitFor()
    expect(await page.getByText('in this time').count()).toBe(0)
    await expectAccessible(page)
    pending.resolve()
    await page.getByText('0 requests in this period').waitFor()
    // The same account over another time keeps its chart until the next one is there.
    const other = Promise.withResolvers<void>()
    await page.route('**/usage?days=7', async (route) => {
      await other.promise
      await route.continue()
    })
    await page.getByLabel('Period').selectOption('7')
    expect(await page.getByText('0 requests in this period').count()).toBe(1)
    other.resolve()
  })
})
