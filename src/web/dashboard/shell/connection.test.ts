import { describe, expect } from 'bun:test'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({ keepsData: true }, async () => {
  await store.send('POST', '/pets', { name: 'Snapdragon', categoryId: 1 })
})

describe('an open page', () => {
  browserTest('survives a restart of the server: it says "Reconnecting…", and continues by itself', async () => {
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

  browserTest(
    'that nobody uses for five minutes ends its stream, and is up to date when somebody returns',
    async () => {
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
    },
  )

  browserTest('loads itself anew when the files of a part are gone after an upgrade', async () => {
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
