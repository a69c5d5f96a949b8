import { expect } from 'bun:test'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('a new store shows the first steps, which can be hidden', async () => {
  await store.withPage('/', async (page) => {
    const steps = page.getByRole('region', { name: 'First steps' })
    // Hosting is off: no website can be published.
    await steps.getByText('0 of 2 done').waitFor()
    await expectAccessible(page)
    await steps.getByRole('link', { name: 'Import your animals' }).click()
    await page.getByRole('heading', { level: 1, name: 'Import animals' }).waitFor()
    await page.goBack()
    await steps.getByRole('button', { name: 'Hide first steps' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('list', { name: 'Numbers of the store' }).waitFor()
    expect(await steps.count()).toBe(0)
  })
})

browserTest('the first step counts animals that were not imported, and is done after an import', async () => {
  const { id } = await store.send<{ id: number }>('POST', '/pets', { name: 'Yarrow', categoryId: 1 })
  await store.withPage('/', async (page) => {
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByText('1 animal is here already').waitFor()
    const { status } = await fetch(`${store.url}/v1/imports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${store.process.ready.key}`, 'Content-Type': 'text/csv' },
      body: 'name,category\nTansy,Dog\n',
    })
    expect(status).toBe(201)
    await steps.getByText('Done', { exact: true }).waitFor()
  })
  await store.send('DELETE', `/pets/${id}`)
})

browserTest('the numbers follow a change elsewhere, and lead to the records that they count', async () => {
  await store.withPage('/', async (page) => {
    const numbers = page.getByRole('list', { name: 'Numbers of the store' })
    await numbers.getByRole('link', { name: /Available animals/ }).waitFor()
    const before = Number(
      await numbers
        .getByRole('link', { name: /Available animals/ })
        .locator('p')
        .nth(1)
        .textContent(),
    )
    const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'Aster', categoryId: 1 })
    // Without live updates it would take 30 seconds.
    await numbers.getByRole('link', { name: `Available animals ${before + 1}` }).waitFor({ timeout: 20_000 })
    await store.send('POST', '/store/orders', { petId: pet.id })
    await numbers.getByRole('link', { name: /Open orders 1 1 to approve/ }).click()
    await page.getByRole('link', { name: /Aster/ }).waitFor()
    expect(page.url()).toBe(`${store.url}/dashboard/orders?status=placed`)
  })
})

browserTest('the last 30 days are a chart and a table, of sales, orders and requests', async () => {
  await store.withPage('/', async (page) => {
    await store.send('POST', '/pets', { name: 'Bellflower', categoryId: 1 })
    await goTo(page, '/animals?q=bellflower')
    await page.getByRole('button', { name: 'Mark as sold: Bellflower' }).click()
    await page.getByText('Bellflower is sold.').waitFor()
    await goTo(page, '/')
    await page.getByRole('img', { name: /Sales of the last 30 days. In all: .*; Sold at the counter: 1/ }).waitFor()
    await page.getByRole('radiogroup', { name: 'Shown in the chart' }).getByText('Orders').click()
    await page.getByRole('img', { name: /Orders of the last 30 days/ }).waitFor()
    await page.getByText('Requests', { exact: true }).click()
    await page.getByRole('img', { name: /Requests of the last 30 days/ }).waitFor()
    await page.getByRole('button', { name: 'Show as table' }).click()
    expect(await page.getByRole('row').count()).toBe(31)
    await expectAccessible(page)
  })
})

browserTest('on a phone, the list "Needs attention" is above the chart', async () => {
  await store.withPage(
    '/',
    async (page) => {
      const attention = await page.getByRole('region', { name: 'Needs attention' }).boundingBox()
      const chart = await page.getByRole('region', { name: 'Last 30 days' }).boundingBox()
      expect(attention?.y).toBeLessThan(chart?.y ?? 0)
      await page.setViewportSize({ width: 1280, height: 800 })
      const beside = await page.getByRole('region', { name: 'Needs attention' }).boundingBox()
      expect(beside?.x).toBeGreaterThan(800)
      // No number of the store is alone in its line.
      for (const width of [768, 960, 1199, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        const tops = await page
          .getByRole('list', { name: 'Numbers of the store' })
          .getByRole('listitem')
          .evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().top))
        expect([width, tops.filter((top) => top === tops.at(-1)).length]).toEqual([width, width < 1200 ? 2 : 5])
      }
    },
    { viewport: { width: 390, height: 844 } },
  )
})

browserTest(
  'the step "Create a key" is done when somebody has created one, not when the store’s first key is used',
  async () => {
    const isUsed = async () => (await store.send<{ lastUsedAt: string | null }[]>('GET', '/keys'))[0]?.lastUsedAt
    expect(await isUsed()).toEqual(expect.any(String))
    await store.withPage('/', async (page) => {
      const steps = page.getByRole('region', { name: 'First steps' })
      await steps.getByRole('link', { name: 'Create a key' }).waitFor()
      await store.send('POST', '/keys', { name: 'Partner' })
      await steps.getByRole('link', { name: 'Create a key' }).waitFor({ state: 'detached' })
    })
  },
)

browserTest('of many items that need attention, the first ones are shown, and the others on demand', async () => {
  const expiresAt = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString()
  for (let i = 1; i <= 8; i++)
    await store.send('POST', '/keys', { name: `Trial ${i}`, scopes: ['pets:read'], expiresAt })
  await store.withPage('/', async (page) => {
    const region = page.getByRole('region', { name: 'Needs attention' })
    const button = region.getByRole('button', { name: /^Show all \d+$/ })
    const all = Number((await button.textContent())?.replace('Show all ', ''))
    expect(await region.getByRole('listitem').count()).toBe(6)
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(new Date(expiresAt))
    await region.getByText(`The key “Trial 1” expires on ${day}`).waitFor()
    await button.press('Enter')
    expect(await region.getByRole('listitem').count()).toBe(all)
    await expectAccessible(page)
    // The focus stays on the button, which takes the longer list back.
    await page.keyboard.press('Enter')
    expect(await region.getByRole('listitem').count()).toBe(6)
  })
})
