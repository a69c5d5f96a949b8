/** The dialog about animals that a bulk action left as they are. */

import { notice } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('animals that orders hold are named', async () => {
  const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'Held $& Hazel', categoryId: 1 })
  const order = await store.send<{ id: number }>('POST', '/store/orders', { petId: pet.id })
  await store.withPage('/animals', async (page) => {
    await page.getByRole('checkbox', { name: 'Select Held $& Hazel' }).click()
    await page.getByRole('region', { name: 'Selected animals' }).getByRole('button', { name: 'Mark as sold' }).click()
    await notice(page, '1 animal held by orders.').getByRole('button', { name: 'Show' }).click()
    const text = `Order ${order.id} reserves Held $& Hazel: deliver or cancel the order`
    await page.getByRole('dialog').getByText(text).waitFor()
    await expectAccessible(page)
  })
})
