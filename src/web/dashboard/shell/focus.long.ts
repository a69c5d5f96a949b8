import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({ keepsData: true, hasDemo: true }, async () => {
  for (let i = 1; i <= 5; i++) await store.send('POST', '/keys', { name: `Partner ${i}`, scopes: ['pets:read'] })
})

/** Names the elements that get the focus, one after the other, behind a bar at an edge of the window. */
async function hiddenAfter(page: Page, key: 'Tab' | 'Shift+Tab', presses: number): Promise<string[]> {
  const hidden: string[] = []
  for (let i = 0; i < presses; i++) {
    await page.keyboard.press(key)
    const name = await page.evaluate(() => {
      const bars = '.masthead, .bottom-navigation, .animals-head, .bulk-bar'
      const element = document.activeElement
      if (element === null || element === document.body || element.closest(bars) !== null) return undefined
      const { left, top, width, height } = element.getBoundingClientRect()
      const above = document.elementFromPoint(left + width / 2, top + height / 2)
      return above?.closest(bars) == null ? undefined : (element.ariaLabel ?? element.textContent)
    })
    if (name !== undefined) hidden.push(name)
  }
  return hidden
}

describe('the element with the focus', () => {
  for (const path of ['/animals', '/orders', '/keys', '/settings']) {
    browserTest(`is not behind the bars of a window or of a phone: ${path}`, async () => {
      await store.withPage(path, async (page) => {
        await page
          .getByRole('button', { name: /^(More for|Approve|Change password)/ })
          .first()
          .waitFor()
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 640 })
          const forward = await hiddenAfter(page, 'Tab', 50)
          // Back to the start, where the other width begins.
          const hidden = [...forward, ...(await hiddenAfter(page, 'Shift+Tab', 50))]
          expect([width, hidden]).toEqual([width, []])
        }
      })
    })
  }

  browserTest('is not behind the bar of the selected animals', async () => {
    await store.withPage(
      '/animals',
      async (page) => {
        await page
          .getByRole('checkbox', { name: /^Select (?!all)/ })
          .first()
          .check()
        await page.locator('.bulk-bar').waitFor()
        expect(await hiddenAfter(page, 'Tab', 30)).toEqual([])
      },
      { viewport: { width: 390, height: 844 } },
    )
  })
})

browserTest('the name of the store stays on one line beside the search', async () => {
  await store.withPage('/orders', async (page) => {
    for (const width of [641, 720, 800, 961, 1280]) {
      await page.setViewportSize({ width, height: 640 })
      const box = await page.locator('.masthead-brand span').boundingBox()
      expect([width, (box?.height ?? 0) < 40]).toEqual([width, true])
    }
  })
})
