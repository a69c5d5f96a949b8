import { expect } from 'bun:test'
import { notice } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const total = 150
const store = dashboardForTests({}, async () => {
  for (let i = 1; i <= total; i++) await store.send('POST', '/pets', { name: `Animal ${i}`, categoryId: 1 })
})
const count = async () => (await store.send<{ count: number }>('GET', '/pets/count')).count

browserTest(
  'of a deletion that fails after its first hundred animals, those can be brought back, and the rest stay selected',
  async () => {
    await store.withPage('/animals', async (page, watched) => {
      await page.getByText('Animal 150', { exact: true }).waitFor()
      // The list becomes longer when its next part has been loaded.
      await page.waitForFunction(() => {
        scrollTo(0, document.documentElement.scrollHeight)
        return [...document.querySelectorAll('[role="row"] *')].some(({ textContent }) => textContent === 'Animal 1')
      })
      await page.getByRole('checkbox', { name: 'Select all loaded animals' }).click()
      const bar = page.getByRole('region', { name: 'Selected animals' })
      await bar.getByText('150 selected').waitFor()

      let requests = 0
      const body = { code: 'storage_unavailable', message: 'The disk is full.', status: 503 }
      await page.route('**/v1/pets/batch', (route) =>
        ++requests === 1 ? route.continue() : route.fulfill({ status: 503, json: body }),
      )
      await bar.getByRole('button', { name: 'Delete animals' }).click()
      await bar.getByText('100 animals deleted.').waitFor()
      await bar.getByText('50 selected').waitFor()
      expect(await count()).toBe(50)
      await page.unroute('**/v1/pets/batch')
      await bar.getByRole('button', { name: 'Undo' }).click()
      await notice(page, '100 animals back.').waitFor()
      expect(await count()).toBe(total)
      expect(watched.removeExpected(/status of 503/)).toBeGreaterThan(0)
    })
  },
)

browserTest('all animals that fit are selected, loaded or not, and changed in parts with one result', async () => {
  await store.withPage('/animals', async (page) => {
    const bar = page.getByRole('region', { name: 'Selected animals' })
    await page.getByRole('checkbox', { name: 'Select all loaded animals' }).click()
    await bar.getByText('100 selected').waitFor()
    await bar.getByRole('button', { name: 'Select all 150 that fit' }).click()
    await bar.getByText('150 selected').waitFor()
    await bar.getByRole('button', { name: 'Mark as sold' }).click()
    await notice(page, '150 animals sold.').getByRole('button', { name: 'Undo' }).click()
    await notice(page, '150 animals changed back.').waitFor()
    expect(await store.send('GET', '/store/inventory')).toMatchObject({ available: total })
  })
})
