import { expect } from 'bun:test'
import { animalsOf, notices } from '../../../testing/dashboard/animals.ts'
import { browserTest, dashboardForTests, expectAccessible } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()
const { add } = animalsOf(store)

browserTest('the same failure is shown once, however often it happens', async () => {
  for (const name of ['Aster', 'Birch', 'Cedar']) await add(name)
  await store.withPage('/animals', async (page, watched) => {
    await page.route('**/v1/pets/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    for (const name of ['Aster', 'Birch', 'Cedar']) {
      await notices(page).evaluateAll((all) => {
        for (const one of all) one.setAttribute('data-earlier', '')
      })
      await page.getByRole('button', { name: `Mark as sold: ${name}` }).click()
      await page.locator('.mantine-Notification-root:not([data-earlier])').waitFor()
      await page.locator('.mantine-Notification-root[data-earlier]').waitFor({ state: 'detached' })
    }
    expect(await notices(page).allTextContents()).toEqual([expect.stringContaining('No connection to the store')])
    await expectAccessible(page)
    expect(watched.removeExpected(/ERR_FAILED/)).toBe(3)
  })
})
