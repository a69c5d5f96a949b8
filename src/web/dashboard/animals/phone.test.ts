/** The list of animals on a phone, and what the forms keep. */

import { expect } from 'bun:test'
import { hold } from '../../../testing/dashboard/hold.ts'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({}, async () => {
  for (const name of ['Alder', 'Birch', 'Cedar']) await store.send('POST', '/pets', { name, categoryId: 6 })
})

const phone = { viewport: { width: 390, height: 844 } }

browserTest(
  'on a phone the first animal is in the upper third, buttons and categories are whole, and forms fit a low window',
  async () => {
    await store.withPage(
      '/animals',
      async (page) => {
        const row = page.getByRole('row', { name: /Cedar/ })
        expect((await row.boundingBox())?.y).toBeLessThan(844 / 3)
        const sell = page.getByRole('button', { name: 'Mark as sold: Cedar' })
        const lines = await sell.evaluate((button) => {
          const range = document.createRange()
          range.selectNodeContents(button)
          return range.getClientRects().length
        })
        expect(lines).toBe(1)
        const category = row.getByText('Small animal')
        expect(await category.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true)
        await expectAccessible(page)
        await page.getByRole('button', { name: 'Filters' }).click()
        await page.getByLabel('Status').selectOption('Sold')
        await page.getByText('No animal fits').waitFor()
        await page.getByRole('button', { name: 'Filters on' }).waitFor()
        await page.getByRole('button', { name: 'More for all animals' }).click()
        await expectAccessible(page)
        await page.getByRole('menuitem', { name: 'Manage categories' }).click()
        await page.getByRole('heading', { level: 1, name: 'Categories' }).waitFor()
        const rename = page.getByText('Rename category').first()
        expect(await rename.evaluate((label) => label.scrollWidth <= label.clientWidth)).toBe(true)

        // In a low window nothing covers the fields of a form, and its buttons stand in one row.
        await page.setViewportSize({ width: 320, height: 256 })
        await goTo(page, '/animals?add=1')
        const dialog = page.getByRole('dialog', { name: 'Add animal' })
        const status = dialog.getByLabel('Status')
        await status.focus()
        const isOnTop = await status.evaluate((field) => {
          const { left, top, width, height } = field.getBoundingClientRect()
          return field.contains(document.elementFromPoint(left + width / 2, top + height / 2))
        })
        expect(isOnTop).toBe(true)
        const names = ['Cancel', 'Add and continue', 'Add animal']
        const tops = names.map(async (name) => {
          const box = await dialog.getByRole('button', { name, exact: true }).boundingBox()
          return box && Math.round(box.y + box.height / 2)
        })
        expect(new Set(await Promise.all(tops)).size).toBe(1)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        await page.mouse.wheel(0, 400)
        await page.waitForFunction(() => scrollY > 0)
        const top = await page.evaluate(() => document.querySelector('.masthead')?.getBoundingClientRect().bottom ?? 0)
        expect(top).toBeLessThanOrEqual(0)
      },
      phone,
    )
  },
)

browserTest(
  'the fields of an edited animal are in the columns of the list, and those above it keep their places and a typed text',
  async () => {
    await store.withPage('/animals', async (page) => {
      await page.getByRole('link', { name: 'Birch', exact: true }).press('F2')
      const left = async (role: 'columnheader' | 'field', name: string) => {
        const place = role === 'field' ? page.getByRole('table').getByLabel(name) : page.getByRole(role, { name })
        return Math.round((await place.boundingBox())?.x ?? 0)
      }
      for (const name of ['Name', 'Category', 'Status']) {
        expect([name, await left('field', name)]).toEqual([name, await left('columnheader', name)])
      }
      await page.getByRole('table').getByLabel('Name').fill('Birch the elder')
      await page.keyboard.press('Enter')
      await page.getByText('Birch the elder is saved.').waitFor()

      // What stands above the list keeps its place when the count changes.
      await page.getByText('3 animals', { exact: true }).waitFor()
      const search = page.getByRole('searchbox', { name: 'Search animals by name' })
      const before = await search.boundingBox()
      await search.fill('cedar')
      await page.getByText('1 animal found').waitFor()
      expect(await search.boundingBox()).toEqual(before)
      // While it is counted anew, no old count stands for the new search.
      const count = await hold(page, 'GET', /\/v1\/pets\/profiles\/count/)
      await search.fill('birch')
      await count.sent
      await page.getByText('Counting…').waitFor()
      count.release()
      await page.getByText('1 animal found').waitFor()
      for (const width of [767, 768]) {
        await page.setViewportSize({ width, height: 800 })
        const [button, fields] = [page.getByRole('button', { name: 'Filters' }), page.getByLabel('Status')]
        expect([width, await button.isVisible(), await fields.isVisible()]).toEqual([width, width < 768, width >= 768])
      }

      // The typed text of a new animal is still there after "Back".
      await page.getByRole('link', { name: 'Add animal' }).click()
      const name = page.getByRole('dialog', { name: 'Add animal' }).getByLabel('Name')
      await name.fill('Half a na')
      await page.goBack()
      await name.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Add animal' }).click()
      expect(await name.inputValue()).toBe('Half a na')
      await name.fill('A whole name')
      await page.keyboard.press('Enter')
      await page.getByText('A whole name is added').waitFor()
      await name.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Add animal' }).click()
      expect(await name.inputValue()).toBe('')
    })
  },
)
