/** Who works with the keyboard stays in the list when the control with the focus leaves the page. */

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { animalsOf, notice, row } from '../../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const { add } = animalsOf(store)
const names = async () => (await store.send<{ name: string }[]>('GET', '/pets')).map(({ name }) => name)

/** Expects the focus on the link with the name of the animal, in its row. */
async function expectFocusOn(page: Page, name: string): Promise<void> {
  const isName = (text: string) => document.activeElement?.textContent === text
  // Without it, the comparison below shows where the focus is.
  await page.waitForFunction(isName, name, { timeout: 20_000 }).catch(() => undefined)
  const focused = await page.evaluate(() => {
    const element = document.activeElement ?? document.body
    const text = element.textContent.slice(0, 100)
    return { tag: element.tagName, text, row: element.closest('[role=row]')?.textContent ?? '' }
  })
  expect(focused).toEqual({ tag: 'A', text: name, row: expect.stringContaining(name) })
}

browserTest('the focus stays in the row after editing and selling, and moves on after deleting', async () => {
  for (const name of ['Aster', 'Birch', 'Cedar']) await add(name)
  await store.withPage('/animals', async (page) => {
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = page.getByRole('textbox', { name: 'Name' })
    await page.getByRole('link', { name: 'Birch', exact: true }).press('F2')
    await field.press('Escape')
    await expectFocusOn(page, 'Birch')

    await page.keyboard.press('F2')
    await page.waitForFunction(() => document.activeElement instanceof HTMLInputElement)
    await page.keyboard.press('End')
    await page.keyboard.type(' two')
    await page.keyboard.press('Enter')
    await expectFocusOn(page, 'Birch two')
    expect(await names()).toContain('Birch two')

    await button('Mark as sold: Birch two').press('Enter')
    await row(page, 'Birch two').getByText('Sold', { exact: true }).waitFor()
    await expectFocusOn(page, 'Birch two')

    await button('More for Birch two').press('Enter')
    // The menu takes the focus to its first item when it is open.
    await page.waitForFunction(() => document.activeElement?.textContent === 'Edit animal')
    await page.getByRole('menuitem', { name: 'Edit animal' }).press('ArrowUp')
    await page.waitForFunction(() => document.activeElement?.textContent === 'Delete animal')
    await page.getByRole('menuitem', { name: 'Delete animal' }).press('Enter')
    await row(page, 'Birch two').waitFor({ state: 'detached' })
    await expectFocusOn(page, 'Aster')
  })
})

browserTest(
  'a form that leaves the list with its row is explained, and keys that are typed into it change no other animal',
  async () => {
    await add('Neighbour')
    const { id } = await add('Edited')
    await add('Third')
    const leaving = await add('Leaving')
    await store.withPage('/animals?status=available', async (page) => {
      const field = page.getByRole('textbox', { name: 'Name' })
      // Also when nothing is changed in it.
      await page.getByRole('link', { name: 'Leaving', exact: true }).press('F2')
      await field.waitFor()
      await store.send('PATCH', `/pets/${leaving.id}`, { status: 'sold' })
      await notice(page, 'The animal that you were editing is no longer in this list.').waitFor()
      await expectAccessible(page)

      await page.getByRole('link', { name: 'Edited', exact: true }).press('F2')
      await field.waitFor()
      await page.keyboard.press('End')
      await page.keyboard.type(' of')
      await store.send('PATCH', `/pets/${id}`, { status: 'sold' })
      await page.locator('form').waitFor({ state: 'detached' })
      await page.keyboard.type(' the old oak')
      await page.keyboard.press('Enter')
      expect(await field.count()).toBe(0)
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Animals')
      expect(await names()).toEqual(expect.arrayContaining(['Neighbour', 'Edited', 'Third']))

      const message = notice(page, 'Your change of Edited is not saved.')
      await message.getByRole('button', { name: 'Continue editing' }).click()
      await page.getByRole('heading', { level: 1, name: 'Edited', exact: true }).waitFor()
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Edited of')
    })
  },
)

browserTest('a row has one Tab stop, and keys reach its buttons, the bar of selected animals and "Undo"', async () => {
  for (const name of ['Ivy', 'Holly', 'Garnet']) await add(name)
  await store.withPage('/animals', async (page) => {
    const focused = () => page.evaluate(() => document.activeElement?.ariaLabel || document.activeElement?.textContent)
    const expectAfter = async (...steps: readonly (readonly [key: string, focus: string])[]) => {
      for (const [key, focus] of steps) {
        await page.keyboard.press(key)
        expect([key, await focused()]).toEqual([key, focus])
      }
    }
    await page.getByRole('link', { name: 'Garnet', exact: true }).focus()
    await expectAfter(
      ['Tab', 'Holly'],
      ['ArrowRight', 'Mark as sold: Holly'],
      ['ArrowDown', 'Mark as sold: Ivy'],
      ['ArrowRight', 'More for Ivy'],
      ['Shift+Tab', 'Ivy'],
      ['ArrowLeft', 'Select Ivy'],
      ['Space', 'Select Ivy'],
      ['F8', 'Mark as sold'],
      ['F8', 'Select Ivy'],
      ['ArrowUp', 'Select Holly'],
      ['ArrowRight', 'Holly'],
      ['ArrowRight', 'Mark as sold: Holly'],
    )
    await page.keyboard.press('Enter')
    await notice(page, 'Holly is sold.').waitFor()
    await expectFocusOn(page, 'Holly')
    await expectAfter(['F8', 'Undo Ctrl Z'], ['Tab', 'Close this message'], ['F8', 'Mark as sold'], ['F8', 'Holly'])
    await page.keyboard.press('Control+z')
    await notice(page, 'Holly is available again.').waitFor()
    await expectAfter(['F8', 'Close this message'], ['Enter', 'Holly'])
    const places = await page.evaluate(() =>
      ['.mantine-Notifications-root', '.bulk-bar', '.animals'].map((part) =>
        [...document.querySelectorAll('*')].indexOf(document.querySelector(part) ?? document.body),
      ),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })
})
