import { expect } from 'bun:test'
import { browserTest } from '../../../testing/dashboard/store.ts'
import { dashboardForTests } from '../../../testing/dashboard/suite.ts'

const store = dashboardForTests()

browserTest('a day in the address that does not exist is no filter of the audit log', async () => {
  await store.withPage('/keys/audit?from=9999-99-99&to=undefined', async (page) => {
    const created = page.getByRole('cell', { name: 'Key created' })
    await created.first().waitFor()
    expect(await created.count()).toBeGreaterThan(0)
  })
})
