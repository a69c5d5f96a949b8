import { expect } from 'bun:test'
import { goTo } from '../../../testing/dashboard/open.ts'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../testing/dashboard/store.ts'

interface Order {
  readonly id: number
  readonly petId: number
  readonly status: string
  readonly accountId: number
  readonly note: string | null
  readonly shipDate: string | null
}

const store = dashboardForTests()

async function order(name: string, rest: object = {}): Promise<Order> {
  const pet = await store.send<{ id: number }>('POST', '/pets', { name, categoryId: 1 })
  return store.send<Order>('POST', '/store/orders', { petId: pet.id, ...rest })
}
const find = (id: number) => store.send<Order>('GET', `/store/orders/${id}`)

browserTest(
  'an order is placed for an animal that is found by its name; half typed, it is still there after "Back"',
  async () => {
    await store.send('POST', '/pets', { name: 'Primrose', categoryId: 1 })
    await store.send('POST', '/pets', { name: 'Petals', categoryId: 1, status: 'sold' })
    await store.withPage('/orders', async (page) => {
      await page.getByText('No orders yet').waitFor()
      await expectAccessible(page)
      const place = page.getByRole('link', { name: 'Place order' }).first()
      await place.click()
      const dialog = page.getByRole('dialog', { name: 'Place order' })
      const animal = dialog.getByRole('combobox', { name: 'Animal' })
      // The list of animals does not cover the form before somebody types.
      await page.waitForFunction(() => document.activeElement?.getAttribute('placeholder') === 'Type a name')
      expect(await dialog.getByRole('listbox').count()).toBe(0)
      await animal.fill('petals')
      await dialog.getByText('Petals is sold. Only an available animal can be ordered.').waitFor()
      await expectAccessible(page)
      await dialog.getByLabel('Note').fill('For Grace')
      await page.goBack()
      await dialog.waitFor({ state: 'detached' })
      await place.click()
      expect(await dialog.getByLabel('Note').inputValue()).toBe('For Grace')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      await place.click()
      expect(await dialog.getByLabel('Note').inputValue()).toBe('')

      await dialog.getByRole('button', { name: 'Place order' }).click()
      await dialog.getByText('Choose the animal that is ordered.').waitFor()
      await animal.fill('primr')
      await dialog.getByRole('option', { name: 'Primrose (Dog, no. 1)' }).click()
      await dialog.getByLabel('Ship on').fill('2020-01-01')
      await dialog.getByRole('button', { name: 'Place order' }).click()
      await dialog.getByText('This day is over.').waitFor()
      await expectAccessible(page)
      await dialog.getByLabel('Ship on').fill('2099-12-31')
      await dialog.getByLabel('Note').fill('For Ada')
      await dialog.getByRole('button', { name: 'Place order' }).click()
      const panel = page.getByRole('dialog', { name: /^Order \d+/ })
      await panel.getByText('For Ada').waitFor()
      expect(new URL(page.url()).pathname).toBe('/dashboard/orders/1')
      await expectAccessible(page)
      // The page shows the account of the store.
      expect(await find(1)).toMatchObject({ status: 'placed', note: 'For Ada', accountId: 1 })
    })
  },
)

browserTest(
  'an order is approved and delivered in its row, its panel shows when, and it is cancelled only after a question',
  async () => {
    const { id } = await order('Peony')
    const other = await order('Poppy')
    await store.withPage('/orders?q=peony', async (page, watched) => {
      await page.getByRole('button', { name: `Approve order ${id}` }).click()
      await page.getByRole('navigation', { name: 'Orders by status' }).getByRole('link', { name: 'Approved 1' }).click()
      // The same place on the screen as "Approve": a click too many delivers nothing.
      await page.getByRole('button', { name: `Deliver order ${id}` }).click()
      const question = page.getByRole('dialog', { name: `Deliver order ${id}?` })
      await question.getByText('Peony is then sold.').waitFor()
      await expectAccessible(page)
      await page.keyboard.press('Enter')
      await question.waitFor({ state: 'detached' })
      expect(await find(id)).toMatchObject({ status: 'approved' })
      await page.getByRole('button', { name: `Deliver order ${id}` }).click()
      await question.getByRole('button', { name: 'Deliver order' }).click()
      await page.getByText('No order fits').waitFor()

      await goTo(page, `/orders/${id}`)
      const history = page.getByRole('region', { name: 'History of the order' })
      for (const step of ['Placed', 'Approved', 'Delivered']) await history.getByText(step).waitFor()
      const delivered = await find(id)
      expect(delivered).toMatchObject({ status: 'delivered' })
      await store.send('PATCH', `/pets/${delivered.petId}`, { status: 'available' })
      await history.getByText('Animal returned').waitFor()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await page.waitForURL('**/dashboard/orders')

      await goTo(page, `/orders/${other.id}`)
      const cancel = page.getByRole('button', { name: 'Cancel order' })
      await cancel.click()
      const cancelling = page.getByRole('dialog', { name: `Cancel order ${other.id}?` })
      await cancelling.getByRole('button', { name: 'Keep order' }).click()
      expect(await find(other.id)).toMatchObject({ status: 'placed' })
      await cancel.click()
      await expectAccessible(page)
      await cancelling.getByRole('button', { name: 'Cancel order' }).click()
      await history.getByText('Cancelled').waitFor()
      expect(await find(other.id)).toMatchObject({ status: 'cancelled' })

      // An order that does not exist is reported in a panel above the list.
      await goTo(page, '/orders/4711')
      const panel = page.getByRole('dialog', { name: 'Order 4711' })
      await panel.getByText('There is no such order').waitFor()
      await expectAccessible(page)
      await panel.getByRole('link', { name: 'Show all orders' }).click()
      await panel.waitFor({ state: 'detached' })
      expect(new URL(page.url()).pathname).toBe('/dashboard/orders')
      expect(watched.removeExpected(/404/)).toBeGreaterThan(0)
    })
  },
)

browserTest(
  'the list has rows of one height, says who ordered, and finds orders by number, animal and note',
  async () => {
    await order('Pansy', { shipDate: '2099-11-23T12:00:00Z' })
    await order('Pansy of the long name '.repeat(4).trim(), { note: 'A long note. '.repeat(20) })
    const older = await order('Older', { note: 'For Mrs Zweistein' })
    await order('Newer', { note: 'For Mrs Zweistein' })
    const { id } = await order('Petunia', { note: 'Call Grace before' })
    await store.withPage('/orders?q=pansy', async (page) => {
      const rows = page.getByRole('row', { name: /Pansy/ })
      await rows.nth(1).waitFor()
      for (const width of [1280, 768, 390]) {
        await page.setViewportSize({ width, height: 800 })
        const heights = await rows.evaluateAll((all) =>
          all.map((row) => Math.round(row.getBoundingClientRect().height)),
        )
        expect([width, ...new Set(heights)]).toEqual([width, expect.any(Number)])
        await rows
          .first()
          .getByText('Store', { exact: width > 390 })
          .and(page.locator(':visible'))
          .first()
          .waitFor()
        if (width >= 768) await page.getByRole('columnheader', { name: 'Ships' }).waitFor()
      }

      await page.setViewportSize({ width: 320, height: 700 })
      const field = page.getByRole('searchbox', { name: 'Search orders by number, animal or note' })
      for (const text of ['petun', 'grace', String(id)]) {
        await field.fill(text)
        await page.waitForURL(`**/orders?q=${text}`)
        await page.getByRole('link', { name: /Petunia/ }).waitFor()
      }
      await expectNoSidewaysScrolling(page)
      await page.setViewportSize({ width: 1280, height: 720 })

      // A text of any length.
      await goTo(page, `/orders?q=${'y'.repeat(200)}`)
      await page.getByText('No order fits').waitFor()

      // The first page ends before the first order that fits.
      let isFirst = true
      await page.route('**/v1/store/orders?*q=Zweistein*', async (route) => {
        if (!isFirst) return await route.continue()
        isFirst = false
        const url = new URL(route.request().url())
        url.searchParams.set('limit', '1')
        await route.fulfill({ response: await route.fetch({ url: url.href }), json: [] })
      })
      await field.fill('Zweistein')
      await page.getByRole('row', { name: `Order ${older.id}` }).waitFor()

      // The tab of a status does not list the orders of another one while it is loaded.
      const response = Promise.withResolvers<void>()
      await page.route('**/v1/store/orders?*status=delivered*', async (route) => {
        await response.promise
        await route.continue()
      })
      const tab = page.getByRole('link', { name: /^Delivered/ })
      await tab.click()
      await tab.and(page.locator('[aria-current]')).waitFor()
      expect(await page.getByRole('row', { name: /Older/ }).count()).toBe(0)
      await expectAccessible(page)
      response.resolve()
      await page.getByText('No order fits').waitFor()
    })
  },
)
