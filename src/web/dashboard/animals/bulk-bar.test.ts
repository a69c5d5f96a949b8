/** The dialog about animals that a bulk action left as they are. */

import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('animals that orders reserve are named', async () => {
  const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'Held $& Hazel', categoryId: 1 })
  const order = await store.send<{ id: number }>('POST', '/store/orders', { petId: pet.id })
  await store.withPage('/animals', async (page) => {
    await page.getByRole('checkbox', { name: 'Select Held $& Hazel' }).click()
    const bar = page.getByRole('region', { name: 'Selected animals' })
    await bar.getByRole('button', { name: 'Mark as sold' }).click()
    await bar.getByText('1 animal reserved by orders.').waitFor()
    await bar.getByRole('button', { name: 'Show reasons' }).click()
    const text = `Order ${order.id} reserves Held $& Hazel: deliver or cancel the order`
    await page.getByRole('dialog').getByText(text).waitFor()
    await expectAccessible(page)
  })
})
