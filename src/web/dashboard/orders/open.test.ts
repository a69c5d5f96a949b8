/** The rows of orders open on a click anywhere in them; an animal that an order reserves leads to its order. */

import { expect } from 'bun:test'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('a click anywhere in the row of an order opens it, except on its button', async () => {
  const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'Wide Willow', categoryId: 1 })
  await store.send('POST', '/store/orders', { petId: pet.id, note: 'For Ada' })
  await store.withPage('/orders', async (page) => {
    const row = page.getByRole('row', { name: /Wide Willow/ })
    const panel = page.getByRole('dialog', { name: 'Order 1' })
    await row.getByRole('button', { name: 'Approve order 1' }).click()
    await row.getByRole('button', { name: 'Deliver order 1' }).click()
    // The question lies above the row; a click in it is not meant for the row.
    const question = page.getByRole('dialog', { name: 'Deliver order 1?' })
    await question.getByText('Wide Willow is then sold.').click()
    await question.getByRole('button', { name: 'Not yet' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await panel.isVisible()).toBe(false)
    await row.getByText('For Ada').click()
    await panel.waitFor()
    expect(new URL(page.url()).pathname).toBe('/dashboard/orders/1')
  })
})

browserTest('the sale of an animal whose order is approved says to deliver that order', async () => {
  await store.withPage('/', async (page, watched) => {
    // The order is placed after the list was loaded.
    await page.route(/\/orders\?.*limit=100/, (route) => route.fulfill({ json: [] }))
    await page.evaluate(() => history.pushState(null, '', '/dashboard/animals'))
    await page.getByRole('button', { name: 'Mark as sold: Wide Willow' }).click()
    await page.getByText('Wide Willow is reserved by order 1. Deliver order 1 to sell it.').waitFor()
    expect(await store.send<{ status: string }>('GET', '/pets/1')).toMatchObject({ status: 'pending' })
    watched.removeExpected(/409/)
  })
})

browserTest('a step that somebody has just taken elsewhere is explained, and the next one is offered', async () => {
  const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'Twin Thistle', categoryId: 1 })
  const { id } = await store.send<{ id: number }>('POST', '/store/orders', { petId: pet.id })
  await store.withPage(`/orders/${id}`, async (page, watched) => {
    const panel = page.getByRole('dialog', { name: `Order ${id}` })
    await page.route('**/approve', async (route) => {
      await store.send('POST', `/store/orders/${id}/approve`)
      await route.continue()
    })
    await panel.getByRole('button', { name: 'Approve order' }).click()
    await page.getByText('Somebody changed this meanwhile').waitFor()
    await page.getByText('It has another status now.').waitFor()
    await panel.getByRole('button', { name: 'Deliver order' }).waitFor()
    watched.removeExpected(/409/)
  })
})

browserTest(
  'on a phone the buttons of a question fill its width, and nothing moves where motion is reduced',
  async () => {
    const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'Narrow Nettle', categoryId: 1 })
    const { id } = await store.send<{ id: number }>('POST', '/store/orders', { petId: pet.id })
    await store.withPage(
      `/orders/${id}`,
      async (page) => {
        await page.getByRole('button', { name: 'Cancel order' }).click()
        const question = page.getByRole('dialog', { name: `Cancel order ${id}?` })
        const widths = ['Keep order', 'Cancel order'].map(
          async (name) => (await question.getByRole('button', { name }).boundingBox())?.width,
        )
        const [keep, cancel] = await Promise.all(widths)
        expect(keep).toBe(cancel ?? 0)
        const moving = () =>
          [...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s').length
        expect(await page.evaluate(moving)).toBe(0)
      },
      { viewport: { width: 320, height: 640 } },
    )
  },
)
