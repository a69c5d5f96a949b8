/** Selling, and taking it back: the messages that follow. */

import { describe, expect } from 'bun:test'
import { animalsOf, notice, notices, row } from '../../../testing/dashboard/animals.ts'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

const { add, find, reserve } = animalsOf(store)

describe('an animal', () => {
  browserTest(
    'is sold in one click, has one message at a time, and its undo says what it did; so do several',
    async () => {
      const { id } = await add('Juniper')
      const quince = await add('Quince', { status: 'pending' })
      const one = await add('Hazel one')
      const two = await add('Hazel two', { status: 'pending' })
      const three = await add('Hazel three', { status: 'sold' })
      await store.withPage('/animals', async (page) => {
        await page.getByRole('button', { name: 'Mark as sold: Juniper' }).dblclick()
        await notice(page, 'Juniper is sold.').waitFor()
        await row(page, 'Juniper').getByText('Sold', { exact: true }).waitFor()
        expect(await find(id)).toMatchObject({ status: 'sold' })
        await page.getByRole('button', { name: 'More for Juniper' }).click()
        await page.getByRole('menuitem', { name: 'Mark as available' }).click()
        await notice(page, 'Juniper is available again.').waitFor()
        await notice(page, 'Juniper is sold.').waitFor({ state: 'detached' })
        expect(await notices(page).count()).toBe(1)
        await page.getByRole('button', { name: 'Mark as sold: Juniper' }).click()
        await notice(page, 'Juniper is available again.').waitFor({ state: 'detached' })
        await notice(page, 'Juniper is sold.').getByRole('button', { name: 'Undo' }).click()
        await notice(page, 'Juniper is available again.').waitFor()
        await notice(page, 'Juniper is sold.').waitFor({ state: 'detached' })
        expect(await notices(page).count()).toBe(1)
        expect(await find(id)).toMatchObject({ status: 'available' })

        // One that was pending is pending again.
        await page.getByRole('button', { name: 'Mark as sold: Quince' }).click()
        await notice(page, 'Quince is sold.').getByRole('button', { name: 'Undo' }).click()
        await notice(page, 'Quince is pending.').waitFor()
        expect(await find(quince.id)).toMatchObject({ status: 'pending' })

        // Several: those that were sold already are counted.
        await page.getByRole('searchbox').fill('hazel')
        await row(page, 'Quince').waitFor({ state: 'detached' })
        await row(page, 'Hazel three').waitFor()
        await page.getByRole('checkbox', { name: 'Select all loaded animals' }).click()
        await page
          .getByRole('region', { name: 'Selected animals' })
          .getByRole('button', { name: 'Mark as sold' })
          .click()
        const message = notice(page, '2 animals sold. 1 animal sold already.')
        await message.waitFor()
        expect(await find(two.id)).toMatchObject({ status: 'sold' })
        await message.getByRole('button', { name: 'Undo' }).click()
        await notice(page, '2 animals changed back.').waitFor()
        expect([await find(one.id), await find(two.id), await find(three.id)]).toMatchObject([
          { status: 'available' },
          { status: 'pending' },
          { status: 'sold' },
        ])
      })
    },
  )

  browserTest(
    'leaves its newest message on top, in sight on a phone; one that an order reserves leaves a warning',
    async () => {
      const long = 'W'.repeat(100)
      await add(long)
      await add('Yarrow')
      await store.withPage('/', async (page, watched) => {
        const remove = async (name: string) => {
          await page.getByRole('button', { name: `More for ${name}` }).click()
          await page.getByRole('menuitem', { name: 'Delete animal' }).click()
        }
        await page.setViewportSize({ width: 320, height: 844 })
        // The orders are placed after the list was loaded.
        await page.route(/\/orders\?.*limit=100/, (route) => route.fulfill({ json: [] }))
        await goTo(page, '/animals')
        // The longest name, with its message on top of the others.
        for (const name of ['Yarrow', long]) {
          await remove(name)
          await notice(page, `${name} is deleted.`).waitFor()
        }
        expect(await notices(page).first().textContent()).toContain(long)
        const undo = await notice(page, long).getByRole('button', { name: 'Undo' }).boundingBox()
        const bottom = await page.getByRole('navigation', { name: 'Pages' }).boundingBox()
        expect(undo?.width).toBeGreaterThan(50)
        expect((undo?.x ?? 0) + (undo?.width ?? 0)).toBeLessThan(320)
        expect((undo?.y ?? 0) + (undo?.height ?? 0)).toBeLessThan(bottom?.y ?? 0)
        await notice(page, long).getByRole('button', { name: 'Undo' }).click()
        await notice(page, `${long} is back.`).waitFor()

        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 800 })
          const name = `Reserved ${width}`
          const { id } = await add(name)
          const order = await reserve(id)
          await page.getByRole('button', { name: `Mark as sold: ${name}` }).click()
          const text = `${name} is reserved by order ${order.id}. Approve and deliver order ${order.id} to sell it.`
          await page.getByRole('alert').filter({ hasText: text }).waitFor()
          const label = notice(page, text).getByText(`Open order ${order.id}`)
          expect(await label.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
          await remove(name)
          await notice(page, `Cancel or deliver order ${order.id} before you delete the animal.`).waitFor()
          await notice(page, text).waitFor({ state: 'detached' })
          expect(watched.removeExpected(/409/)).toBe(2)
        }
      })
    },
  )
})
