/** How the forms of an animal are opened: from its row, and from a search that finds nothing. */

import { expect } from 'bun:test'
import { animalsOf, row } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests, expectNoSidewaysScrolling } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const { add, find } = animalsOf(store)

browserTest(
  'a click anywhere in the row of an animal opens it, except on its controls, and a search that finds none adds one',
  async () => {
    const { id } = await add('Wide Willow')
    await store.withPage('/animals', async (page) => {
      await row(page, 'Wide Willow').getByRole('checkbox').click()
      await page.getByRole('region', { name: 'Selected animals' }).waitFor()
      await row(page, 'Wide Willow').getByRole('checkbox').click()
      expect(await page.getByRole('textbox', { name: 'Name' }).count()).toBe(0)
      await row(page, 'Wide Willow').getByText('Available').click()
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Wide Willow')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Mark as sold: Wide Willow' }).click()
      await row(page, 'Wide Willow').getByText('Sold', { exact: true }).waitFor()
      expect(await page.getByRole('textbox', { name: 'Name' }).count()).toBe(0)
      expect(await find(id)).toMatchObject({ status: 'sold' })

      // One that a search does not find is added under the text of the search.
      await page.getByRole('searchbox').fill('Sea Holly')
      await page.getByText('No animal fits').waitFor()
      const dialog = page.getByRole('dialog', { name: 'Add animal' })
      const name = dialog.getByLabel('Name')
      await page.getByRole('link', { name: 'Add “Sea Holly”' }).click()
      expect(await name.inputValue()).toBe('Sea Holly')
      await name.fill('Sea Holly the second')
      await page.goBack()
      await dialog.waitFor({ state: 'detached' })
      await page.goForward()
      expect(await name.inputValue()).toBe('Sea Holly the second')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Add animal' }).click()
      expect(await name.inputValue()).toBe('Sea Holly')
      await page.setViewportSize({ width: 320, height: 700 })
      await expectNoSidewaysScrolling(page)
      await dialog.getByRole('button', { name: 'Add animal' }).click()
      await row(page, 'Sea Holly').waitFor()
      await page.getByRole('link', { name: 'Add animal' }).click()
      expect(await name.inputValue()).toBe('')
    })
  },
)
