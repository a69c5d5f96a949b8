import { expect } from 'bun:test'
import { goTo } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests, expectNoSidewaysScrolling } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests()

browserTest('a phone shows until when a key is valid, and what was done to which thing and by whom', async () => {
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString()
  await store.send('POST', '/keys', { name: 'Tomas', scopes: ['pets:read'], expiresAt })
  await store.send('POST', '/keys', { name: 'Till', scopes: ['pets:read'] })
  await store.send('POST', '/projects', { name: 'Kiosk', accountId: 1 })
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(new Date(expiresAt))
  await store.withPage(
    '/keys',
    async (page) => {
      const validity = page.getByText(/^See animals, /).filter({ visible: true })
      await validity.nth(1).waitFor()
      const texts = (await validity.allTextContents()).sort()
      expect(texts).toEqual([`See animals, expires ${day}`, 'See animals, never expires'])

      await goTo(page, '/keys/audit')
      const row = page.getByRole('row', { name: /Project created/ }).first()
      await row.getByText('name: Kiosk').filter({ visible: true }).waitFor()
      await row.getByText('by key “Store”').waitFor()
      await expectNoSidewaysScrolling(page)
    },
    { viewport: { width: 390, height: 844 } },
  )
})

browserTest('between a phone and a wide window, a key takes at most four lines', async () => {
  await store.send('POST', '/keys', { name: 'Till of the shop' })
  await store.withPage('/keys', async (page) => {
    for (const width of [769, 1024, 1199]) {
      await page.setViewportSize({ width, height: 800 })
      const row = page.getByRole('row', { name: /Till of the shop/ })
      await row.getByText('Change animals, place orders and publish websites, never expires').waitFor()
      expect((await row.boundingBox())?.height).toBeLessThan(120)
    }
  })
})
