/** The rows of orders open on a click anywhere in them; an animal that an order reserves leads to its order. */

import { expect } from 'bun:test'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest(
  'a click anywhere in the row of an order opens it, except on its button; its animal is not sold elsewhere',
  async () => {
    const { id: petId } = await store.send<{ id: number }>('POST', '/pets', { name: 'Wide Willow', categoryId: 1 })
    await store.send('POST', '/store/orders', { petId, note: 'For Ada' })
    await store.withPage('/orders', async (page, watched) => {
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
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })

      // The list of animals does not know of the order: it was placed after the list was loaded.
      await page.route(/\/orders\?.*limit=100/, (route) => route.fulfill({ json: [] }))
      await goTo(page, '/animals')
      await page.getByRole('button', { name: 'Mark as sold: Wide Willow' }).click()
      await page.getByText('Wide Willow is reserved by order 1. Deliver order 1 to sell it.').waitFor()
      expect(await store.send<{ status: string }>('GET', `/pets/${petId}`)).toMatchObject({ status: 'pending' })
      watched.removeExpected(/409/)
    })
  },
)

browserTest(
  'a step that somebody has just taken elsewhere is explained, and the next one is offered; a question fits a phone',
  async () => {
    const order = async (name: string) => {
      const pet = await store.send<{ id: number }>('POST', '/pets', { name, categoryId: 1 })
      return (await store.send<{ id: number }>('POST', '/store/orders', { petId: pet.id })).id
    }
    const [id, other] = [await order('Twin Thistle'), await order('Narrow Nettle')]
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

      await page.setViewportSize({ width: 320, height: 640 })
      await goTo(page, `/orders/${other}`)
      await page
        .getByRole('dialog', { name: `Order ${other}` })
        .getByRole('button', { name: 'Cancel order' })
        .click()
      const question = page.getByRole('dialog', { name: `Cancel order ${other}?` })
      const widths = ['Keep order', 'Cancel order'].map(
        async (name) => (await question.getByRole('button', { name }).boundingBox())?.width,
      )
      const [keep, cancel] = await Promise.all(widths)
      expect(keep).toBe(cancel ?? 0)
      // Where motion is reduced, nothing moves.
      const moving = () =>
        [...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s').length
      expect(await page.evaluate(moving)).toBe(0)
    })
  },
)
