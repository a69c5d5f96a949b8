/** "Undo" stays while the store cannot be reached. */

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { animalsOf, notice, row } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const { add, find } = animalsOf(store)

/** Presses "Undo" without a connection, and again with it. */
async function undoTwice(page: Page, text: string, address: RegExp): Promise<void> {
  await page.route(address, (route) => route.abort())
  await notice(page, text).getByRole('button', { name: 'Undo' }).click()
  await notice(page, 'No connection to the store').waitFor()
  const again = page.getByRole('alert').filter({ hasText: text }).getByRole('button', { name: 'Undo' })
  await again.waitFor()
  await page.unroute(address)
  await again.click()
}

browserTest('"Undo" of a sale can be pressed again after it failed without a connection', async () => {
  const { id } = await add('Lupin')
  await store.withPage('/animals', async (page, watched) => {
    await page.getByRole('button', { name: 'Mark as sold: Lupin' }).click()
    await undoTwice(page, 'Lupin is sold.', /\/v1\/pets\/\d+$/)
    await notice(page, 'Lupin is available again.').waitFor()
    expect(await find(id)).toMatchObject({ status: 'available' })
    expect(watched.removeExpected(/ERR_FAILED/)).toBe(1)
  })
})

browserTest('"Undo" of a deletion can be pressed again after it failed without a connection', async () => {
  await add('Teasel')
  await store.withPage('/animals', async (page, watched) => {
    await page.getByRole('button', { name: 'More for Teasel' }).click()
    await page.getByRole('menuitem', { name: 'Delete animal' }).click()
    await undoTwice(page, 'Teasel is deleted.', /\/restore$/)
    await notice(page, 'Teasel is back.').waitFor()
    await row(page, 'Teasel').waitFor()
    expect(watched.removeExpected(/ERR_FAILED/)).toBe(1)
  })
})

browserTest('"Undo" is not offered again after the store refused it', async () => {
  const { id } = await add('Foxglove')
  await store.withPage('/animals', async (page, watched) => {
    await page.getByRole('button', { name: 'More for Foxglove' }).click()
    await page.getByRole('menuitem', { name: 'Delete animal' }).click()
    const undo = notice(page, 'Foxglove is deleted.').getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    await store.send('POST', `/pets/${id}/restore`)
    await undo.click()
    await page.getByRole('alert').first().waitFor()
    expect(await undo.count()).toBe(0)
    watched.removeExpected(/Failed to load resource/)
  })
})
