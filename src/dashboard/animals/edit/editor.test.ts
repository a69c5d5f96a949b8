import { expect } from 'bun:test'
import { animalsOf, row } from '../../../testing/dashboard/animals.ts'
import { browserTest, expectAccessible } from '../../../testing/dashboard/store.ts'
import { dashboardForTests } from '../../../testing/dashboard/suite.ts'

const store = dashboardForTests()
const { add, find } = animalsOf(store)

browserTest('an animal can be given only a status that it can have next', async () => {
  const { id } = await add('Samphire', { status: 'sold' })
  await store.withPage(`/animals?animal=${id}`, async (page) => {
    const form = page.getByRole('dialog', { name: `Animal ${id}` })
    const status = form.getByLabel('Status')
    expect(await status.getByRole('option').allTextContents()).toEqual(['Available', 'Sold'])
    await status.selectOption('Available')
    await expectAccessible(page)
    await form.getByRole('button', { name: 'Save animal' }).click()
    await form.waitFor({ state: 'detached' })
    await row(page, 'Samphire').getByRole('button', { name: 'Samphire', exact: true }).click()
    await page.getByRole('row').getByLabel('Status').selectOption('Pending')
    await page.getByRole('button', { name: 'Save animal' }).click()
    await row(page, 'Samphire').getByText('Pending').waitFor()
    expect(await find(id)).toMatchObject({ status: 'pending' })
  })
})
