import { expect } from 'bun:test'
import { animalsOf, notice, row } from '../../../testing/dashboard/animals.ts'
import { hold } from '../../../testing/dashboard/hold.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const { add, find } = animalsOf(store)

browserTest(
  'an animal gets only a status that it can have next, and what is typed while it is saved is the next change',
  async () => {
    const { id } = await add('Samphire', { status: 'sold' })
    const tarragon = await add('Tarragon')
    await store.withPage('/animals', async (page) => {
      const status = page.getByRole('row').getByLabel('Status')
      await page.getByRole('link', { name: 'Samphire', exact: true }).press('F2')
      await status.waitFor()
      expect(await status.getByRole('option').allTextContents()).toEqual(['Available', 'Sold'])
      await status.selectOption('Available')
      await page.getByRole('button', { name: 'Save animal' }).click()
      await page.getByRole('link', { name: 'Samphire', exact: true }).press('F2')
      await status.selectOption('Pending')
      await page.getByRole('button', { name: 'Save animal' }).click()
      await row(page, 'Samphire').getByText('Pending').waitFor()
      expect(await find(id)).toMatchObject({ status: 'pending' })

      // Text typed while a change is being saved is the next change.
      const name = page.getByRole('row').getByLabel('Name')
      await page.getByRole('link', { name: 'Tarragon', exact: true }).press('F2')
      await name.fill('Tarragon two')
      const { sent, release } = await hold(page, 'PATCH', /\/v1\/pets\/\d+$/)
      await page.getByRole('button', { name: 'Save animal' }).click()
      await sent
      await name.fill('Tarragon two and more')
      release()
      // The button waits for the response.
      await page.getByRole('button', { name: 'Save animal' }).click()
      await page.getByRole('link', { name: 'Tarragon two and more', exact: true }).waitFor()
      expect(await find(tarragon.id)).toMatchObject({ name: 'Tarragon two and more' })
    })
  },
)

browserTest('the name that is typed before the response to a new animal stays in the form', async () => {
  await store.withPage('/animals?add=1', async (page) => {
    const form = page.getByRole('dialog', { name: 'Add animal' })
    for (const action of ['Add and continue', 'Add animal']) {
      await form.getByLabel('Name').fill(`First to ${action}`)
      const { sent, release } = await hold(page, 'POST', /\/v1\/pets$/)
      await form.getByRole('button', { name: action }).click()
      await sent
      await form.getByLabel('Name').fill(`Second to ${action}`)
      release()
      await notice(page, `First to ${action}`).waitFor()
      expect(await form.getByLabel('Name').inputValue()).toBe(`Second to ${action}`)
      await form.getByRole('button', { name: 'Add animal' }).click()
      await notice(page, `Second to ${action} is added`).waitFor()
      await form.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Add animal', exact: true }).click()
    }
  })
})
