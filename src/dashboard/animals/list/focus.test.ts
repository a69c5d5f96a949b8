/** Who works with the keyboard stays in the list when the control with the focus leaves the page. */

import type { Page } from 'playwright-core'
import { animalsOf, row } from '../../../testing/dashboard/animals.ts'
import { browserTest } from '../../../testing/dashboard/store.ts'
import { dashboardForTests } from '../../../testing/dashboard/suite.ts'

const store = dashboardForTests()
const { add } = animalsOf(store)

/** Waits until the button with the name of the animal has the focus. */
const focusedName = (page: Page, name: string) =>
  page.waitForFunction((text) => document.activeElement?.textContent === text, name, { timeout: 5_000 })

browserTest('the focus stays in the row after editing and selling, and moves on after deleting', async () => {
  for (const name of ['Aster', 'Birch', 'Cedar']) await add(name)
  await store.withPage('/animals', async (page) => {
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = page.getByRole('textbox', { name: 'Name' })
    await button('Birch').press('Enter')
    await field.press('Escape')
    await focusedName(page, 'Birch')

    await page.keyboard.press('Enter')
    await field.fill('Birch two')
    await page.keyboard.press('Enter')
    await focusedName(page, 'Birch two')

    await button('Mark as sold: Birch two').press('Enter')
    await row(page, 'Birch two').getByText('Sold', { exact: true }).waitFor()
    await focusedName(page, 'Birch two')

    await button('More for Birch two').press('Enter')
    await page.getByRole('menuitem', { name: 'Delete animal' }).press('Enter')
    await row(page, 'Birch two').waitFor({ state: 'detached' })
    await focusedName(page, 'Aster')
  })
})
