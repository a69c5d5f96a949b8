import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { animalsOf, notice, row } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({ keepsData: true })
const { add, find } = animalsOf(store)
const named = async (name: string) => (await store.send<object[]>('GET', `/pets?q=${encodeURIComponent(name)}`)).length

const noConnection = 'No connection to the store'
/** The browser reports each lost response on the console. */
const lost = /ERR_FAILED/

/** Lets the next POST to a path below /v1 reach the store, and loses its response. */
async function loseAnswer(page: Page, path: string): Promise<void> {
  let isFirst = true
  await page.route(`**/v1${path}`, async (route) => {
    if (route.request().method() !== 'POST' || !isFirst) return route.fallback()
    isFirst = false
    await route.fetch()
    await route.abort()
  })
}

const form = (page: Page) => page.getByRole('dialog', { name: 'Add animal' })
const addButton = (page: Page) => form(page).getByRole('button', { name: 'Add animal' })

describe('after a lost response', () => {
  browserTest('the same form adds no second animal, and the next form adds one', async () => {
    await store.withPage('/animals?add=1', async (page, watched) => {
      await loseAnswer(page, '/pets')
      await form(page).getByLabel('Name').fill('Goldfish')
      await addButton(page).click()
      await form(page).getByText(noConnection).waitFor()
      await addButton(page).click()
      await notice(page, 'Goldfish').waitFor()
      expect(await named('Goldfish')).toBe(1)

      await loseAnswer(page, '/pets')
      await page.getByRole('link', { name: 'Add animal' }).first().click()
      await form(page).getByLabel('Name').fill('Twin')
      await addButton(page).click()
      await form(page).getByText(noConnection).waitFor()
      await form(page).getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('link', { name: 'Add animal' }).first().click()
      await form(page).getByLabel('Name').fill('Twin')
      await addButton(page).click()
      await notice(page, 'Twin').waitFor()
      expect(await named('Twin')).toBe(2)
      expect(watched.removeExpected(lost)).toBe(2)
    })
  })

  browserTest('the same project is made once', async () => {
    await store.withPage('/projects?create=1', async (page, watched) => {
      await loseAnswer(page, '/projects')
      const dialog = page.getByRole('dialog', { name: 'New project' })
      await dialog.getByLabel('Name').fill('Kiosk')
      await dialog.getByRole('button', { name: 'Create project' }).click()
      await dialog.getByText(noConnection).waitFor()
      await dialog.getByRole('button', { name: 'Create project' }).click()
      await page.getByRole('heading', { level: 1, name: 'Kiosk' }).waitFor()
      expect(await store.send<object[]>('GET', '/projects')).toHaveLength(1)
      watched.removeExpected(lost)
    })
  })

  browserTest('animals that were made available meanwhile are sold again', async () => {
    const pets = [await add('Sellable one'), await add('Sellable two')]
    await store.withPage('/animals?q=sellable', async (page, watched) => {
      await loseAnswer(page, '/pets/batch')
      for (const { name } of pets) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
      const bar = page.getByRole('region', { name: 'Selected animals' })
      await bar.getByRole('button', { name: 'Mark as sold' }).click()
      await notice(page, noConnection).waitFor()
      await row(page, 'Sellable one').getByText('Sold', { exact: true }).waitFor()
      await bar.getByRole('button', { name: 'Mark as available' }).click()
      await notice(page, '2 animals available again').waitFor()
      for (const { name } of pets) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
      await bar.getByRole('button', { name: 'Mark as sold' }).click()
      await notice(page, '2 animals sold').waitFor()
      expect(await Promise.all(pets.map(({ id }) => find(id)))).toMatchObject([{ status: 'sold' }, { status: 'sold' }])
      watched.removeExpected(lost)
    })
  })

  browserTest('an animal that another program made available is sold again a minute later', async () => {
    const { id } = await add('Resold')
    await store.withPage('/nowhere', async (page, watched) => {
      await page.clock.install()
      await page.goto(`${store.url}/dashboard/animals?q=resold`)
      await loseAnswer(page, '/pets/batch')
      await page.getByRole('checkbox', { name: 'Select Resold' }).click()
      const sell = page.getByRole('region', { name: 'Selected animals' }).getByRole('button', { name: 'Mark as sold' })
      await sell.click()
      await notice(page, noConnection).waitFor()
      await row(page, 'Resold').getByText('Sold', { exact: true }).waitFor()
      await store.send('PATCH', `/pets/${id}`, { status: 'available' })
      await row(page, 'Resold').getByText('Available').waitFor()
      await page.clock.fastForward('01:00')
      await sell.click()
      await notice(page, '1 animal sold').waitFor()
      expect(await find(id)).toMatchObject({ status: 'sold' })
      watched.removeExpected(lost)
    })
  })

  browserTest('the next backup is a new one', async () => {
    await store.withPage('/settings', async (page, watched) => {
      await loseAnswer(page, '/backups')
      await page.getByRole('button', { name: 'Make a file to download' }).click()
      await notice(page, 'The file could not be made').waitFor()
      await page.getByRole('button', { name: 'Make a file to download' }).click()
      await notice(page, 'The backup is finished').waitFor()
      expect(await store.send<object[]>('GET', '/backups')).toHaveLength(2)
      watched.removeExpected(lost)
    })
  })
})

browserTest('a request that is still running elsewhere is tried again with the same key', async () => {
  await store.withPage('/animals?add=1', async (page, watched) => {
    const keys: (string | undefined)[] = []
    await page.route('**/v1/pets', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length === 1) return route.abort()
      if (keys.length > 2) return route.fallback()
      const code = 'idempotency_in_progress'
      await route.fulfill({ status: 409, json: { code, status: 409, message: 'It is still running.' } })
    })
    await form(page).getByLabel('Name').fill('Running')
    await addButton(page).click()
    await form(page).getByText(noConnection).waitFor()
    await addButton(page).click()
    await form(page).getByText('The store is still busy with this').waitFor()
    await expectAccessible(page)
    await addButton(page).click()
    await notice(page, 'Running').waitFor()
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
    watched.removeExpected(lost)
    watched.removeExpected(/409/)
  })
})
