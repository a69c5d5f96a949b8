import { expect } from 'bun:test'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest(
  'the buttons that add an animal are on one line where they fit, and fill two of the same width on a phone',
  async () => {
    await store.withPage('/animals?add=1', async (page) => {
      const buttons = page.getByRole('dialog', { name: 'Add animal' }).locator('.form-buttons button')
      await buttons.first().waitFor()
      for (const [width, lines] of [
        [1280, 1],
        [500, 1],
        [450, 2],
        [390, 2],
        [640, 1],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        const boxes = await buttons.evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect),
        )
        expect([width, new Set(boxes.map(({ top }) => top)).size]).toEqual([width, lines])
        const linesOfBoxes = Map.groupBy(boxes, ({ top }) => top).values()
        const edges = [...linesOfBoxes].map((line) => `${line[0]?.left} to ${line.at(-1)?.right}`)
        expect([width, new Set(edges).size]).toEqual([width, 1])
      }
    })
  },
)
