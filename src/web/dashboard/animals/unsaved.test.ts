import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { animalsOf, notice } from '../../../testing/dashboard/animals.ts'
import { goTo, owner } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const { add, find } = animalsOf(store)

/** Begins to rename an animal in its row. */
async function rename(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('link', { name: from, exact: true }).press('F2')
  await page.getByRole('textbox', { name: 'Name' }).fill(to)
}

describe('a change in a row that is not saved', () => {
  browserTest('is offered again after "Back" and after a link, and saved', async () => {
    const { id } = await add('Fennel')
    await store.withPage('/orders', async (page) => {
      const message = notice(page, 'Your change of Fennel is not saved.')
      await page.getByRole('link', { name: 'Animals' }).first().click()
      await rename(page, 'Fennel', 'Dill')
      await page.goBack()
      await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
      await message.waitFor()
      await page.getByRole('link', { name: 'Animals' }).first().click()
      await page.getByRole('link', { name: 'Fennel', exact: true }).press('F2')
      await message.waitFor({ state: 'detached' })
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Dill')
      await page.getByRole('row').getByLabel('Status').selectOption('Pending')
      await page.getByRole('link', { name: 'Orders' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
      await message.waitFor()
      await expectAccessible(page)
      await message.getByRole('button', { name: 'Continue editing' }).click()
      // On its page.
      await page.getByRole('heading', { level: 1, name: 'Fennel' }).waitFor()
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Dill')
      const bar = page.getByRole('region', { name: 'Unsaved changes' })
      await expectAccessible(page)
      await bar.getByRole('button', { name: 'Save animal' }).click()
      await bar.waitFor({ state: 'detached' })
      expect(await find(id)).toMatchObject({ name: 'Dill', status: 'pending' })
      await page.getByRole('link', { name: 'Animals' }).first().click()
      await page.getByRole('link', { name: 'Dill', exact: true }).press('F2')
      await page.getByRole('button', { name: 'Cancel' }).click()
      expect(await message.count()).toBe(0)
    })
  })

  browserTest('is still there after scrolling, editing another row and Esc, and "Cancel" discards it', async () => {
    for (let i = 0; i < 99; i++) await add(`Filler ${i}`)
    const topmost = await add('Topmost')
    await add('Sorrel')
    await add('Lovage')
    const { id } = await add('Yarrow')
    await store.withPage('/animals', async (page) => {
      // Scrolled away.
      await rename(page, 'Topmost', 'Topmost of all')
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      await page.getByRole('textbox', { name: 'Name' }).waitFor({ state: 'detached' })
      await page.evaluate(() => scrollTo(0, 0))
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Topmost of all')
      await page.getByRole('button', { name: 'Save animal' }).click()
      await notice(page, 'Topmost of all is saved.').waitFor()
      expect(await find(topmost.id)).toMatchObject({ name: 'Topmost of all' })

      await rename(page, 'Sorrel', 'Sorrel the second')
      await page.getByRole('link', { name: 'Lovage', exact: true }).press('F2')
      await notice(page, 'Your change of Sorrel is not saved.').waitFor()
      await page.getByRole('textbox', { name: 'Name' }).fill('Lovage the second')
      await page.keyboard.press('Escape')
      await notice(page, 'Your change of Lovage is not saved.').waitFor()
      await page.getByRole('link', { name: 'Sorrel', exact: true }).press('F2')
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Sorrel the second')
      // The message leads to the form that is open now.
      await notice(page, 'Your change of Sorrel is not saved.').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('link', { name: 'Sorrel', exact: true }).press('F2')
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Sorrel')

      // What only the page of an animal shows is continued there.
      await goTo(page, `/animals/${id}`)
      await page.getByLabel('Breed', { exact: true }).fill('Manx')
      await page.getByRole('link', { name: 'Animals' }).first().click()
      await page.getByRole('link', { name: 'Yarrow', exact: true }).press('F2')
      await page.getByRole('table').getByRole('link', { name: 'Continue editing' }).click()
      expect(await page.getByLabel('Breed', { exact: true }).inputValue()).toBe('Manx')
    })
  })

  browserTest('is gone after signing out', async () => {
    await add('Secretive')
    await store.withPage(
      '/animals?q=secretive',
      async (page, watched) => {
        await page.getByLabel('E-mail').fill(owner.email)
        await page.getByRole('textbox', { name: 'Password' }).fill(owner.password)
        await page.keyboard.press('Enter')
        await rename(page, 'Secretive', 'Something private')
        await page.getByRole('button', { name: 'Your account' }).click()
        await page.getByRole('menuitem', { name: 'Sign out' }).click()
        await page.getByLabel('E-mail').fill(owner.email)
        expect(await notice(page, 'Secretive').count()).toBe(0)
        await page.getByRole('textbox', { name: 'Password' }).fill(owner.password)
        await page.keyboard.press('Enter')
        await page.getByRole('link', { name: 'Secretive', exact: true }).press('F2')
        expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Secretive')
        watched.removeExpected(/401/)
      },
      { isSignedOut: true },
    )
  })
})
