import { expect } from 'bun:test'
import type { Locator } from 'playwright-core'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

const style = (locator: Locator, name: string) =>
  locator.evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name)

browserTest('in forced colours, chosen, current and switched parts differ from the others', async () => {
  await store.withPage(
    '/keys?create=1',
    async (page) => {
      const color = (name: string) => style(page.getByRole('radio', { name, exact: true }), 'background-color')
      const chosen = page.getByRole('radio', { name: 'See animals', exact: true })
      await chosen.waitFor()
      expect(await chosen.isChecked()).toBe(true)
      expect(await color('See animals')).not.toBe(await color('Everything that you can do'))
      await page.keyboard.press('Escape')
      await chosen.waitFor({ state: 'detached' })

      await page.getByRole('switch', { name: 'Show revoked and expired keys' }).waitFor()
      expect(await style(page.locator('.mantine-Switch-track'), 'border-top-width')).toBe('2px')
      expect(await style(page.locator('.mantine-Switch-thumb'), 'border-top-width')).toBe('2px')
      const line = (name: string) => style(page.locator('.tabs').getByRole('link', { name }), 'border-bottom-color')
      const paper = await style(page.locator('body'), 'background-color')
      expect([await line('Usage'), (await line('Keys')) === paper]).toEqual([paper, false])

      await goTo(page, '/')
      const choice = (name: string) => page.locator('.mantine-SegmentedControl-label', { hasText: name })
      await choice('Sales').waitFor()
      expect(await style(choice('Sales'), 'outline-style')).toBe('solid')
      expect(await style(choice('Requests'), 'outline-style')).toBe('none')
    },
    { forcedColors: 'active' },
  )
})
