import { describe, expect } from 'bun:test'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({ keepsData: true }, async () => {
  await store.send('POST', '/pets', { name: 'Snapdragon', categoryId: 1 })
})

describe('a change without a connection', () => {
  browserTest('is tried again with the same key, and its message goes when the connection is back', async () => {
    const { id } = await store.send<{ id: number }>('POST', '/pets', { name: 'Foxglove', categoryId: 1 })
    await store.send('POST', '/store/orders', { petId: id })
    await store.withPage(
      '/orders',
      async (page, watched) => {
        await page.clock.install()
        const keys: (string | undefined)[] = []
        let isOffline = true
        const reading = Promise.withResolvers<void>()
        await page.route('**/v1/**', async (route) => {
          // What the page reads after the failure takes long: the button of the message does not wait for it.
          if (route.request().method() === 'GET') await reading.promise
          if (/\/approve$/.test(route.request().url())) {
            keys.push(route.request().headers()['idempotency-key'])
            // The store does it, and the response is lost.
            if (keys.length === 1) await route.fetch()
          }
          return isOffline ? route.abort() : route.continue()
        })
        const message = page.getByRole('alert').filter({ hasText: 'No connection to the store' })
        const failed = page.waitForEvent('requestfailed', (request) => /\/approve$/.test(request.url()))
        await page.getByRole('button', { name: /^Approve/ }).click()
        await failed
        await message.waitFor()
        await expectAccessible(page)
        // After a minute, the same request is usually meant to be done once more.
        await page.clock.fastForward('01:01')
        isOffline = false
        // The stream may show the step before the button is pressed.
        const again = page.waitForResponse(/\/approve$/)
        await message.getByRole('button', { name: 'Try again' }).click()
        await again
        reading.resolve()
        await page.getByRole('button', { name: /^Deliver/ }).waitFor()
        await message.waitFor({ state: 'detached' })
        expect(keys).toEqual([expect.any(String), keys[0]])

        const pages = page.getByRole('navigation', { name: 'Pages' })
        await pages.getByRole('link', { name: 'Animals' }).click()
        const sell = page.getByRole('button', { name: 'Mark as sold: Snapdragon' })
        await sell.waitFor()
        isOffline = true
        await sell.click()
        await message.getByRole('button', { name: 'Try again' }).waitFor()
        await page.clock.fastForward('01:01')
        expect(await message.count()).toBe(1)
        isOffline = false
        await pages.getByRole('link', { name: 'Orders' }).click()
        await page.getByRole('button', { name: /^Deliver/ }).waitFor()
        await page.clock.fastForward('00:13')
        await message.waitFor({ state: 'detached' })
        watched.removeExpected(/ERR_FAILED/)
      },
      { hasOwnContext: true },
    )
  })

  browserTest('leaves a page that loads when the connection is back', async () => {
    await store.withPage('/orders', async (page, watched) => {
      let isOffline = true
      await page.route('**/v1/**', (route) => (isOffline ? route.abort() : route.continue()))
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Animals' }).click()
      await page.getByText('No connection to the store').waitFor()
      isOffline = false
      await store.send('POST', '/pets', { name: 'Meadow', categoryId: 1 })
      await page.getByRole('row', { name: /Meadow/ }).waitFor()
      watched.removeExpected(/ERR_FAILED/)
    })
  })
})

describe('an open page', () => {
  browserTest('survives a restart of the server: it says "Reconnecting…", and reconnects', async () => {
    await store.withPage('/animals', async (page, watched) => {
      await page.getByRole('row', { name: /Snapdragon/ }).waitFor()
      await store.restart({
        async whileStopped() {
          await page.getByText('Reconnecting…').waitFor()
          await expectAccessible(page)
        },
      })
      await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
      await store.send('POST', '/pets', { name: 'Afterwards', categoryId: 1 })
      await page.getByRole('row', { name: /Afterwards/ }).waitFor()
      // The token of the old server is traded once more.
      watched.removeExpected(/ERR_|503|401/)
    })
  })

  browserTest('that is idle for five minutes closes its stream, and is up to date when somebody returns', async () => {
    await store.withPage(
      '/animals',
      async (page) => {
        await page.getByRole('row', { name: /Snapdragon/ }).waitFor()
        await page.clock.install()
        await page.mouse.move(10, 10)
        const isEnded = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/dashboard/live'))
        await page.clock.fastForward('05:01')
        await isEnded
        await store.send('POST', '/pets', { name: 'Meanwhile', categoryId: 1 })
        const isOpened = page.waitForRequest((request) => request.url().endsWith('/dashboard/live'))
        await page.mouse.move(20, 20)
        await isOpened
        await page.getByRole('row', { name: /Meanwhile/ }).waitFor()
        expect(await page.getByText('Reconnecting…').count()).toBe(0)
      },
      { hasOwnContext: true },
    )
  })

  browserTest('reloads when the files of a part are gone after an upgrade', async () => {
    await store.withPage('/', async (page, watched) => {
      let missing = 1
      await page.route('**/dashboard/assets/*.js', async (route) => {
        if (missing-- > 0) await route.fulfill({ status: 404, body: '' })
        else await route.continue()
      })
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      watched.removeExpected(/404|dynamically imported/)
    })
  })

  browserTest('waits for the connection when a page is opened that it has not loaded yet', async () => {
    await store.withPage(
      '/animals',
      async (page, watched) => {
        await page.getByRole('row', { name: /Snapdragon/ }).waitFor()
        const settings = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' })
        await store.restart({
          async whileStopped() {
            await page.getByText('Reconnecting…').waitFor()
            const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/healthz'))
            await settings.click()
            await failed
            expect(await settings.isVisible()).toBe(true)
          },
        })
        await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
        watched.removeExpected(/ERR_|503|401|dynamically imported/)
      },
      { hasOwnContext: true },
    )
  })
})
