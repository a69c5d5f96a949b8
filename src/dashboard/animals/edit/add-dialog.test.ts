import { expect } from 'bun:test'
import { browserTest } from '../../../testing/dashboard/store.ts'
import { dashboardForTests } from '../../../testing/dashboard/suite.ts'

const store = dashboardForTests()

browserTest('the buttons that add an animal are on one line, or one below the other in the same width', async () => {
  await store.withPage('/animals?add=1', async (page) => {
    const buttons = page.getByRole('dialog', { name: 'Add animal' }).locator('.form-buttons button')
    await buttons.first().waitFor()
    for (const [width, lines] of [
      [1280, 1],
      [500, 3],
      [450, 3],
      [390, 3],
      [640, 1],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      const boxes = await buttons.evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect),
      )
      expect([width, new Set(boxes.map(({ top }) => top)).size]).toEqual([width, lines])
      if (lines > 1) expect(new Set(boxes.map(({ width: one }) => one)).size).toBe(1)
    }
  })
})
