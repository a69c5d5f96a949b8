/** "Back" leads to the page before, not to what was closed or half typed there. */

import { expect } from 'bun:test'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('a date that is typed into the filters of the audit log adds no entries to the history', async () => {
  await store.withPage('/keys/audit', async (page) => {
    const lengthNow = () => page.evaluate(() => history.length)
    const before = await lengthNow()
    await page.getByLabel('From').focus()
    await page.keyboard.type('11112026')
    await page.waitForURL('**/keys/audit?from=2026-11-11')
    expect(await lengthNow()).toBe(before)
    await page.getByLabel('Who').selectOption('You')
    await page.waitForURL('**/keys/audit?from=2026-11-11&who=owner')
    await page.goBack()
    await page.waitForURL('**/keys/audit?from=2026-11-11')
  })
})

browserTest('an order that is closed stays closed after "Back"', async () => {
  const pet = await store.send<{ id: number }>('POST', '/pets', { name: 'Primula', categoryId: 1 })
  const { id } = await store.send<{ id: number }>('POST', '/store/orders', { petId: pet.id })
  await store.withPage('/animals', async (page) => {
    await page.getByRole('link', { name: `Open order ${id}: Primula` }).click()
    const panel = page.getByRole('dialog', { name: `Order ${id}` })
    await panel.getByRole('link', { name: 'Primula' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/dashboard/orders')
    await panel.waitFor({ state: 'detached' })
    await page.goBack()
    await page.waitForURL('**/dashboard/animals')
    expect(await panel.count()).toBe(0)
  })
})
