import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

const shown = (page: Page) => page.getByRole('dialog', { name: 'Your new key' })

async function create(page: Page, name: string): Promise<void> {
  const form = page.getByRole('dialog', { name: 'Create key' })
  await form.getByLabel('Name').fill(name)
  await form.getByRole('button', { name: 'Create key' }).click()
}

/** Copies the key. */
async function copy(page: Page): Promise<void> {
  await shown(page).getByRole('button', { name: 'Copy key' }).click()
  await shown(page).getByRole('button', { name: 'Copied' }).waitFor()
}

browserTest('a new key stays on the screen after "Back" and Ctrl K, until it is copied', async () => {
  await store.withPage('/', async (page) => {
    for (const link of ['Create key for Store', 'Create key']) {
      await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).first().click()
      await page.getByRole('link', { name: link, exact: true }).click()
      await create(page, `Made by ${link}`)
      await shown(page).waitFor()
      await page.goBack()
      await page.getByRole('heading', { level: 1, name: 'API keys', includeHidden: true }).waitFor()
      await page.goBack()
      await page.getByRole('heading', { level: 1, name: 'Overview', includeHidden: true }).waitFor()
      await page.keyboard.press('Control+k')
      await expectAccessible(page)
      expect(await page.getByRole('dialog', { name: 'Search' }).count()).toBe(0)
      await page.keyboard.press('Escape')
      await shown(page).getByText('You have not copied the key.').waitFor()
      await copy(page)
      await shown(page).getByText('You have not copied the key.').waitFor({ state: 'detached' })
      await shown(page).getByRole('button', { name: 'Done' }).click()
      await shown(page).waitFor({ state: 'detached' })
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Search' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' })
    }
  })
})

browserTest('a key whose form was left before the response arrived is shown, and the page stays', async () => {
  await store.withPage('/', async (page) => {
    const { promise: isLeft, resolve: leave } = Promise.withResolvers<void>()
    await page.route('**/v1/keys', async (route) => {
      if (route.request().method() === 'POST') await isLeft
      await route.continue()
    })
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).first().click()
    await page.getByRole('link', { name: 'Create key', exact: true }).click()
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/v1/keys'))
    await create(page, 'Slow')
    await sent
    await page.evaluate(() => history.go(-2))
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    leave()
    await copy(page)
    await shown(page).getByRole('button', { name: 'Done' }).click()
    expect(new URL(page.url()).pathname).toBe('/dashboard/')
  })
})

browserTest('a second new key is shown once the first one is closed, and has to be copied too', async () => {
  await store.withPage('/keys', async (page) => {
    const pending = { First: Promise.withResolvers<void>(), Second: Promise.withResolvers<void>() }
    await page.route('**/v1/keys', async (route) => {
      const request = route.request()
      if (request.method() === 'POST')
        await pending[(request.postDataJSON() as { name: keyof typeof pending }).name].promise
      await route.continue()
    })
    for (const name of ['First', 'Second'] as const) {
      await page.getByRole('link', { name: 'Create key', exact: true }).click()
      const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/v1/keys'))
      await create(page, name)
      await sent
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: 'Create key' }).waitFor({ state: 'detached' })
    }
    pending.First.resolve()
    await copy(page)
    const second = page.waitForResponse((response) => response.request().postData()?.includes('Second') ?? false)
    pending.Second.resolve()
    await (await second).finished()
    await page.getByRole('row', { name: /Second/, includeHidden: true }).waitFor()
    const text = shown(page).locator('pre').first()
    const first = await text.textContent()
    await shown(page).getByText('Give it to First').waitFor()
    await shown(page).getByRole('button', { name: 'Done' }).click()
    await shown(page).getByText('Give it to Second').waitFor()
    expect(await text.textContent()).not.toBe(first)
    await page.keyboard.press('Escape')
    await shown(page).getByText('You have not copied the key.').waitFor()
    await copy(page)
    await shown(page).getByRole('button', { name: 'Done' }).click()
    await shown(page).waitFor({ state: 'detached' })
  })
})

browserTest('the successor of a key stays on the screen after "Back"', async () => {
  await store.send('POST', '/keys', { name: 'Replaced', scopes: ['pets:read'] })
  await store.withPage('/', async (page) => {
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).first().click()
    await page.getByRole('button', { name: 'More for the key Replaced' }).click()
    await page.getByRole('menuitem', { name: 'Replace key (roll)' }).click()
    await page.getByRole('button', { name: 'Replace key', exact: true }).click()
    await shown(page).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Overview', includeHidden: true }).waitFor()
    await copy(page)
  })
})

browserTest('the warning of an unread key is seen in every window, however small', async () => {
  await store.withPage('/keys', async (page) => {
    for (const [width, height] of [
      [390, 664],
      [320, 568],
      [640, 400],
    ] as const) {
      await page.setViewportSize({ width, height })
      await goTo(page, '/keys?create=1')
      await create(page, `At ${width}`)
      await shown(page).getByText('Send these details').waitFor()
      await shown(page).getByRole('button', { name: 'Close' }).click()
      const warning = shown(page).getByRole('alert')
      await warning.waitFor()
      const bottom = await warning.evaluate((element) => element.getBoundingClientRect().bottom)
      expect([width, bottom <= height, bottom]).toEqual([width, true, bottom])
      await copy(page)
      await shown(page).getByRole('button', { name: 'Done' }).click()
      await shown(page).waitFor({ state: 'detached' })
    }
  })
})
