/** A response that arrives after its form was closed changes no form that is open by then, and takes nobody to another page. */

import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { animalsOf, notice } from '../../../testing/dashboard/animals.ts'
import { hold } from '../../../testing/dashboard/hold.ts'
import { browserTest, expectAccessible } from '../../../testing/dashboard/store.ts'
import { dashboardForTests } from '../../../testing/dashboard/suite.ts'

const store = dashboardForTests()
const { add, find, reserve } = animalsOf(store)

const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name' })
const addAnimal = (page: Page) => page.getByRole('link', { name: 'Add animal' }).first().click()
const orderPath = /\/v1\/store\/orders$/

/** Closes the open dialog with Esc. */
async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Edits an animal in its row, sends the new name, and opens the form of another row before the response. */
async function saveAndMoveOn(page: Page, name: string, next: string) {
  const request = await hold(page, 'PATCH', /\/v1\/pets\/\d+$/)
  await page.getByRole('button', { name, exact: true }).click()
  await nameField(page).fill(`${name} two`)
  await page.keyboard.press('Enter')
  await request.sent
  await page.getByRole('button', { name: next, exact: true }).click()
  await page.locator(`input[value="${next}"]`).waitFor()
  return request
}

describe('the success of a form that has been closed', () => {
  browserTest('leaves the form of another row open', async () => {
    const { id } = await add('Alpha')
    await add('Beta')
    await store.withPage('/animals', async (page) => {
      const { release } = await saveAndMoveOn(page, 'Alpha', 'Beta')
      await nameField(page).fill('Beta tw')
      expect(await notice(page, 'Your change of Alpha is not saved.').count()).toBe(0)
      release()
      await notice(page, 'Alpha two is saved.').waitFor()
      await page.keyboard.type('o')
      expect(await nameField(page).inputValue()).toBe('Beta two')
      expect(await find(id)).toMatchObject({ name: 'Alpha two' })
    })
  })

  browserTest('leaves the next animal in the dialog that adds one', async () => {
    await store.withPage('/animals?add=1', async (page) => {
      await nameField(page).fill('Slow one')
      const { sent, release } = await hold(page, 'POST', /\/v1\/pets$/)
      await page.keyboard.press('Enter')
      await sent
      await closeDialog(page)
      await addAnimal(page)
      await nameField(page).fill('Second animal')
      release()
      await notice(page, 'Slow one is added').waitFor()
      expect(await nameField(page).inputValue()).toBe('Second animal')
      await closeDialog(page)
      await addAnimal(page)
      expect(await nameField(page).inputValue()).toBe('Second animal')
    })
  })

  browserTest('leaves the owner on the page that is open when an order is placed', async () => {
    const { id } = await add('Ordered')
    await store.withPage(`/orders?place=1&animal=${id}`, async (page) => {
      const { sent, release } = await hold(page, 'POST', orderPath)
      await page.getByRole('dialog').getByRole('button', { name: 'Place order' }).click()
      await sent
      await closeDialog(page)
      await page.getByRole('link', { name: 'Animals' }).first().click()
      await addAnimal(page)
      await nameField(page).fill('Typed while waiting')
      release()
      await notice(page, /Order \d+ is placed/).waitFor()
      await page.locator('.animals-row', { hasText: 'Pending' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/dashboard/animals')
      expect(await nameField(page).inputValue()).toBe('Typed while waiting')
    })
  })

  browserTest('leaves the form of another category open', async () => {
    for (const [id, name] of [
      [7, 'Seven'],
      [8, 'Eight'],
    ] as const)
      await store.send('PUT', `/categories/${id}`, { name })
    await store.withPage('/animals/categories', async (page) => {
      await page.getByRole('button', { name: 'Rename category: Seven' }).click()
      await nameField(page).fill('Number seven')
      const { sent, release } = await hold(page, 'PUT', /\/v1\/categories\/7$/)
      await page.keyboard.press('Enter')
      await sent
      await closeDialog(page)
      await page.getByRole('button', { name: 'Rename category: Eight' }).click()
      await nameField(page).fill('Number eight')
      release()
      await page.getByRole('button', { name: 'Rename category: Number seven', includeHidden: true }).waitFor()
      expect(await nameField(page).inputValue()).toBe('Number eight')
    })
  })
})

describe('the failure of a form that has been closed', () => {
  browserTest('is said with the way back to a change in a row', async () => {
    await add('Gamma')
    await add('Delta')
    await store.withPage('/animals', async (page, watched) => {
      const { fail } = await saveAndMoveOn(page, 'Gamma', 'Delta')
      fail()
      await notice(page, 'No connection to the store').waitFor()
      await expectAccessible(page)
      await notice(page, 'Your change of Gamma is not saved.').getByRole('button', { name: 'Continue editing' }).click()
      expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Gamma two')
      expect(watched.removeExpected(/ERR_FAILED/)).toBe(1)
    })
  })

  browserTest('is said for an animal that is added', async () => {
    await store.withPage('/animals?add=1', async (page, watched) => {
      await nameField(page).fill('Never added')
      const { sent, fail } = await hold(page, 'POST', /\/v1\/pets$/)
      await page.keyboard.press('Enter')
      await sent
      await closeDialog(page)
      fail()
      await notice(page, 'No connection to the store').waitFor()
      expect(watched.removeExpected(/ERR_FAILED/)).toBe(1)
    })
  })

  browserTest('is said for an order that is placed', async () => {
    const { id } = await add('Not ordered')
    await store.withPage(`/orders?place=1&animal=${id}`, async (page, watched) => {
      const { sent, fail } = await hold(page, 'POST', orderPath)
      await page.getByRole('dialog').getByRole('button', { name: 'Place order' }).click()
      await sent
      await closeDialog(page)
      fail()
      await notice(page, 'No connection to the store').waitFor({ timeout: 10_000 })
      expect(watched.removeExpected(/ERR_FAILED/)).toBe(1)
    })
  })

  browserTest('is said for what was asked before, and the question can be asked again', async () => {
    const { id } = await reserve((await add('Kept')).id)
    await store.withPage(`/orders/${id}`, async (page, watched) => {
      const question = page.getByRole('dialog', { name: `Cancel order ${id}?` })
      const cancel = page.getByRole('button', { name: 'Cancel order', exact: true })
      await cancel.click()
      const { sent, fail } = await hold(page, 'POST', /\/cancel$/)
      await question.getByRole('button', { name: 'Cancel order' }).click()
      await sent
      await question.getByRole('button', { name: 'Keep order' }).click()
      await question.waitFor({ state: 'detached' })
      fail()
      await notice(page, 'No connection to the store').waitFor({ timeout: 10_000 })
      await cancel.click()
      await question.waitFor()
      expect(await question.getByRole('alert').count()).toBe(0)
      expect(watched.removeExpected(/ERR_FAILED/)).toBe(1)
    })
  })
})
