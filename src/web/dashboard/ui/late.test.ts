/** A response that arrives after its form was closed changes no form that is open by then, and takes nobody to another page. */

import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { animalsOf, notice } from '../../../testing/dashboard/animals.ts'
import { hold } from '../../../testing/dashboard/hold.ts'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

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
  await page.getByRole('link', { name, exact: true }).press('F2')
  await nameField(page).fill(`${name} two`)
  await page.keyboard.press('Enter')
  await request.sent
  await page.getByRole('link', { name: next, exact: true }).press('F2')
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

  browserTest('leaves the owner on the page that is open when an order is placed or a project is created', async () => {
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

      await closeDialog(page)
      await goTo(page, '/projects?create=1')
      await nameField(page).fill('Late project')
      const project = await hold(page, 'POST', /\/v1\/projects$/)
      await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click()
      await project.sent
      await closeDialog(page)
      await page.getByRole('link', { name: 'Animals' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Animals' }).waitFor()
      const isListed = page.waitForResponse(/\/v1\/projects/)
      project.release()
      await (await isListed).finished()
      await notice(page, 'The project “Late project” is created.').waitFor()
      expect(new URL(page.url()).pathname).toBe('/dashboard/animals')
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

browserTest('a changed plan leaves the form for the plan of another account open', async () => {
  const business = { value: 'business' }
  for (const name of ['Grower', 'Seller']) await store.send('POST', '/accounts', { name })
  await store.withPage('/keys', async (page) => {
    const form = (name: string) => page.getByRole('dialog', { name: `Plan of ${name}` })
    await page.getByRole('button', { name: 'Change plan of Grower' }).click()
    await form('Grower').getByLabel('Plan').selectOption(business)
    const { sent, release } = await hold(page, 'PATCH', /\/v1\/accounts\/\d+$/)
    await form('Grower').getByRole('button', { name: 'Change plan' }).click()
    await sent
    await closeDialog(page)
    await page.getByRole('button', { name: 'Change plan of Seller' }).click()
    await form('Seller').waitFor()
    const isListed = page.waitForResponse(/\/v1\/accounts\?/)
    release()
    await page.getByText('Business plan').waitFor()
    await (await isListed).finished()
    await form('Seller').getByLabel('Plan').selectOption(business)
    await form('Seller').getByRole('button', { name: 'Change plan' }).click()
    await notice(page, 'Seller is now on the').waitFor()
  })
})

describe('a key that arrives after its form has been closed', () => {
  const issued = (page: Page) => page.getByRole('dialog', { name: 'Your new key' })

  async function copy(page: Page): Promise<void> {
    await issued(page).getByRole('button', { name: 'Copy key' }).click()
    await issued(page).getByRole('button', { name: 'Done' }).click()
    await issued(page).waitFor({ state: 'detached' })
  }

  browserTest('leaves the next key in the form that creates one', async () => {
    await store.withPage('/keys?create=1', async (page) => {
      const form = page.getByRole('dialog', { name: 'Create key' })
      const open = () => page.getByRole('link', { name: 'Create key', exact: true }).click()
      await form.getByLabel('Name').fill('Late key')
      const { sent, release } = await hold(page, 'POST', /\/v1\/keys$/)
      await form.getByRole('button', { name: 'Create key' }).click()
      await sent
      await closeDialog(page)
      await open()
      await form.getByLabel('Name').fill('Next key')
      release()
      await copy(page)
      expect(await form.getByLabel('Name').inputValue()).toBe('Next key')
      await closeDialog(page)
      await open()
      expect(await form.getByLabel('Name').inputValue()).toBe('Next key')
    })
  })

  browserTest('leaves the form that replaces another key', async () => {
    for (const name of ['Replaced', 'Other']) await store.send('POST', '/keys', { name, scopes: ['pets:read'] })
    await store.withPage('/keys', async (page) => {
      const form = (name: string) => page.getByRole('dialog', { name: `Replace the key “${name}”` })
      const open = async (name: string) => {
        await page.getByRole('button', { name: `More for the key ${name}` }).click()
        await page.getByRole('menuitem', { name: 'Replace key (roll)' }).click()
        await form(name).waitFor()
      }
      await open('Replaced')
      const { sent, release } = await hold(page, 'POST', /\/roll$/)
      await form('Replaced').getByRole('button', { name: 'Replace key' }).click()
      await sent
      await closeDialog(page)
      await open('Other')
      release()
      await copy(page)
      expect(await form('Other').count()).toBe(1)
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
      await notice(page, 'Your change of Gamma is not saved.').getByRole('button', { name: 'Continue editing' }).click()
      await page.getByRole('heading', { level: 1, name: 'Gamma' }).waitFor()
      expect(await nameField(page).inputValue()).toBe('Gamma two')
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
      await notice(page, 'No connection to the store').waitFor()
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
      await notice(page, 'No connection to the store').waitFor()
      await cancel.click()
      await question.waitFor()
      expect(await question.getByRole('alert').count()).toBe(0)
      expect(watched.removeExpected(/ERR_FAILED/)).toBe(1)
    })
  })
})
