import { expect } from 'bun:test'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('a day in the address that does not exist is no filter of the audit log', async () => {
  await store.withPage('/keys/audit?from=9999-99-99&to=undefined', async (page) => {
    const created = page.getByRole('cell', { name: 'Key created' })
    await created.first().waitFor()
    expect(await created.count()).toBeGreaterThan(0)
  })
})

browserTest('the audit log is filtered by exports', async () => {
  await store.withPage('/keys/audit', async (page) => {
    await page.getByRole('cell', { name: 'Key created' }).first().waitFor()
    await page.evaluate(async () => void (await (await fetch('/dashboard/files/exports/pets?format=csv')).text()))
    await page.getByLabel('What').selectOption('Exports')
    await page.getByRole('cell', { name: 'Key created' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('row', { name: /Animals exported/ }).count()).toBe(1)
  })
})
