import { expect } from 'bun:test'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('the tab of a status does not list the orders of another one while it is loaded', async () => {
  const { id: petId } = await store.send<{ id: number }>('POST', '/pets', { name: 'Tansy', categoryId: 2 })
  await store.send('POST', '/store/orders', { petId })
  await store.withPage('/orders', async (page) => {
    const response = Promise.withResolvers<void>()
    await page.route('**/v1/store/orders?*status=delivered*', async (route) => {
      await response.promise
      await route.continue()
    })
    await page.getByRole('row', { name: /Tansy/ }).waitFor()
    await page.getByRole('link', { name: /^Delivered/ }).click()
    await page
      .getByRole('link', { name: /^Delivered/ })
      .and(page.locator('[aria-current]'))
      .waitFor()
    expect(await page.getByRole('row', { name: /Tansy/ }).count()).toBe(0)
    await expectAccessible(page)
    response.resolve()
    await page.getByText('No order fits').waitFor()
  })
})
