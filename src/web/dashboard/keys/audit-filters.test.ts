import { expect } from 'bun:test'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('the audit log is filtered by exports, and not by a day that does not exist', async () => {
  await store.withPage('/keys/audit?from=9999-99-99&to=undefined', async (page) => {
    await page.getByRole('cell', { name: 'Key created' }).first().waitFor()
    await page.evaluate(async () => void (await (await fetch('/dashboard/files/exports/pets?format=csv')).text()))
    await page.getByLabel('What').selectOption('Exports')
    await page.getByRole('cell', { name: 'Key created' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('row', { name: /Animals exported/ }).count()).toBe(1)
  })
})
