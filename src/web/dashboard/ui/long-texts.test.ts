import { expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectNoSidewaysScrolling } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({}, async () => {
  const category = await store.send<{ id: number }>('POST', '/categories', { name: 'c'.repeat(64) })
  const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'W'.repeat(100), categoryId: category.id })
  await store.send('POST', '/store/orders', { petId: pet.id, note: 'n'.repeat(500) })
})

/** The widths of windows around every breakpoint. */
const widths = [320, 360, 768, 769, 800, 900, 991, 992, 1024, 1040, 1199, 1280]

async function expectWhole(page: Page, table: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    await expectNoSidewaysScrolling(page)
    const [needed, available] = await page
      .locator(table)
      .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth] as const)
    expect([width, Math.max(needed, available)]).toEqual([width, available])
  }
}

browserTest('the longest animal and note leave the table of orders whole at every width', async () => {
  await store.withPage('/orders', async (page) => {
    await page.getByRole('button', { name: /Approve/ }).waitFor()
    await expectWhole(page, '.mantine-Paper-root')
    const name = await page.getByRole('cell', { name: /WWW/ }).boundingBox()
    expect(name?.width).toBeGreaterThan(200)
  })
})

browserTest('the longest names leave dialogs and lists of choices whole, with the button to close them', async () => {
  const name = 'W'.repeat(100)
  const account = await store.send<{ id: number }>('POST', '/accounts', { name })
  const project = await store.send<{ id: number }>('POST', '/projects', { name, accountId: account.id })
  const isInside = async (locator: Locator) => {
    const box = await locator.boundingBox()
    return box !== null && box.x >= 0 && box.x + box.width <= 320
  }
  await store.withPage(`/projects/${project.id}/settings`, async (page) => {
    await page.setViewportSize({ width: 320, height: 700 })
    await page.getByRole('button', { name: 'Delete project' }).click()
    const dialog = page.getByRole('dialog', { name: /^Delete the project “W+”/ })
    expect(await isInside(dialog.getByRole('button', { name: 'Close' }))).toBe(true)
    expect(await isInside(dialog.getByRole('heading'))).toBe(true)
    await goTo(page, '/orders?place=1')
    await page.getByRole('dialog').getByRole('combobox', { name: 'Account' }).fill('WWW')
    const text = page.getByRole('option', { name }).locator('span').first()
    await text.waitFor()
    expect(await isInside(text)).toBe(true)
  })
})

browserTest(
  'the longest name and category leave the animals whole at every width, and the filters in one row',
  async () => {
    await store.withPage('/animals', async (page) => {
      await page.getByRole('link', { name: /WWW/ }).first().waitFor()
      await expectWhole(page, '.animals')
      const heightOf = async (selector: string) => (await page.locator(selector).boundingBox())?.height ?? 0
      expect(await heightOf('search')).toBeLessThan(2 * (await heightOf('search select >> nth=0')))
    })
  },
)
