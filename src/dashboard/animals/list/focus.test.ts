/** Who works with the keyboard stays in the list when the control with the focus leaves the page. */

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { animalsOf, row } from '../../../testing/dashboard/animals.ts'
import { browserTest } from '../../../testing/dashboard/store.ts'
import { dashboardForTests } from '../../../testing/dashboard/suite.ts'

const store = dashboardForTests()
const { add } = animalsOf(store)

/** Expects the focus on the button with the name of the animal, in its row, within a few seconds. */
async function expectFocusOn(page: Page, name: string): Promise<void> {
  const isName = (text: string) => document.activeElement?.textContent === text
  // Without it, the comparison below shows where the focus is.
  await page.waitForFunction(isName, name, { timeout: 5_000 }).catch(() => undefined)
  const focused = await page.evaluate(() => {
    const element = document.activeElement ?? document.body
    const text = element.textContent.slice(0, 100)
    return { tag: element.tagName, text, row: element.closest('[role=row]')?.textContent ?? '' }
  })
  expect(focused).toEqual({ tag: 'BUTTON', text: name, row: expect.stringContaining(name) })
}

browserTest('the focus stays in the row after editing and selling, and moves on after deleting', async () => {
  for (const name of ['Aster', 'Birch', 'Cedar']) await add(name)
  await store.withPage('/animals', async (page) => {
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = page.getByRole('textbox', { name: 'Name' })
    await button('Birch').press('Enter')
    await field.press('Escape')
    await expectFocusOn(page, 'Birch')

    await page.keyboard.press('Enter')
    await field.fill('Birch two')
    await page.keyboard.press('Enter')
    await expectFocusOn(page, 'Birch two')

    await button('Mark as sold: Birch two').press('Enter')
    await row(page, 'Birch two').getByText('Sold', { exact: true }).waitFor()
    await expectFocusOn(page, 'Birch two')

    await button('More for Birch two').press('Enter')
    await page.getByRole('menuitem', { name: 'Delete animal' }).press('Enter')
    await row(page, 'Birch two').waitFor({ state: 'detached' })
    await expectFocusOn(page, 'Aster')
  })
})
