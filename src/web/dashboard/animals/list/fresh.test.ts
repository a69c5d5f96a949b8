/** A list without animals shows those that are added or brought back elsewhere. */

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { animalsOf, notice, row } from '../../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests } from '../../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const { add } = animalsOf(store)

const undo = (page: Page, text: string) => notice(page, text).getByRole('button', { name: 'Undo' }).click()

browserTest('an animal that the API adds to an empty store appears in the list that is open', async () => {
  await store.withPage('/animals', async (page) => {
    const isConnected = page.waitForResponse('**/dashboard/live')
    await page.reload()
    await isConnected
    await page.getByText('Your first animals').waitFor()
    await add('Elsewhere')
    await row(page, 'Elsewhere').waitFor()
    expect(await page.getByText('Your first animals').count()).toBe(0)
  })
})

browserTest('the only animal of a filtered list is back after "Undo"', async () => {
  await add('Rex')
  await store.withPage('/animals?q=rex&status=available', async (page) => {
    await page.getByRole('button', { name: 'More for Rex' }).click()
    await page.getByRole('menuitem', { name: 'Delete animal' }).click()
    await page.getByText('No animal fits').waitFor()
    await undo(page, 'Rex is deleted.')
    await row(page, 'Rex').waitFor()

    await page.getByRole('button', { name: 'Mark as sold: Rex' }).click()
    await page.getByText('No animal fits').waitFor()
    await undo(page, 'Rex is sold.')
    await row(page, 'Rex').waitFor()
  })
})
