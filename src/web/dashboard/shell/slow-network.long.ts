import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { hold } from '../../../testing/dashboard/hold.ts'
import { loaded } from '../../../testing/dashboard/open.ts'
import { browserTest, dashboardForTests } from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({ keepsData: true, hasDemo: true }, async () => {
  const { id } = await store.send<{ id: number }>('POST', '/projects', { name: 'Storefront', accountId: 1 })
  expect(id).toBe(1)
})

/** A phone at the edge of its network. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 300,
    downloadThroughput: 60_000,
    uploadThroughput: 30_000,
  })
}

/** Sums the layout shifts that no input has caused (https://web.dev/articles/cls). */
async function watchLayout(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: string[] = []
    Object.assign(globalThis, { layoutShifts: shifts, layoutShift: 0 })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { hadRecentInput, value, sources } = entry as PerformanceEntry & {
          hadRecentInput: boolean
          value: number
          sources: readonly { node?: Element }[]
        }
        if (hadRecentInput) continue
        ;(globalThis as unknown as { layoutShift: number }).layoutShift += value
        shifts.push(`${value.toFixed(4)} ${sources.map(({ node }) => node?.className ?? node?.nodeName).join(' | ')}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** The largest sum that counts as stable for readers. */
const stable = 0.05

describe('on a slow network', () => {
  for (const path of [
    '/',
    '/animals',
    '/animals/1',
    '/animals/categories',
    '/orders',
    '/keys',
    '/keys/audit',
    '/projects',
    '/projects/1',
    '/settings',
  ]) {
    browserTest(`nothing moves while the page is loaded: ${path}`, async () => {
      await store.withPage('/nowhere', async (page) => {
        await slowDown(page)
        await watchLayout(page)
        await page.goto(`${store.url}/dashboard${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await loaded(page)
        await page.waitForLoadState('networkidle').catch(() => {})
        const [sum, shifts] = await page.evaluate(() => {
          const { layoutShift, layoutShifts } = globalThis as unknown as { layoutShift: number; layoutShifts: string[] }
          return [layoutShift, layoutShifts] as const
        })
        expect([sum < stable, shifts]).toEqual([true, shifts])
      })
    })
  }

  browserTest('two clicks on the button of a form send it once', async () => {
    await store.withPage('/animals?add=1', async (page) => {
      const dialog = page.getByRole('dialog', { name: 'Add animal' })
      await dialog.getByLabel('Name').fill('Only once')
      const { sent, release } = await hold(page, 'POST', /\/v1\/pets$/)
      await dialog.getByRole('button', { name: 'Add animal' }).dblclick()
      await sent
      await dialog.getByLabel('Name').press('Enter')
      release()
      await dialog.waitFor({ state: 'detached' })
      expect(await store.send<object[]>('GET', '/pets?q=only%20once')).toHaveLength(1)
    })
    await store.withPage('/projects?create=1', async (page) => {
      const dialog = page.getByRole('dialog', { name: 'New project' })
      await dialog.getByLabel('Name').fill('Only one')
      await slowDown(page)
      await dialog.getByRole('button', { name: 'Create project' }).dblclick()
      await page.getByRole('heading', { level: 1, name: 'Only one' }).waitFor()
      const projects = await store.send<{ name: string }[]>('GET', '/projects')
      expect(projects.filter(({ name }) => name === 'Only one')).toHaveLength(1)
    })
  })

  browserTest('a second click on "Mark as sold" changes nothing', async () => {
    const { id } = await store.send<{ id: number }>('POST', '/pets', { name: 'Clicked twice', categoryId: 1 })
    await store.withPage('/animals?q=clicked+twice', async (page) => {
      const button = page.getByRole('button', { name: 'Mark as sold: Clicked twice' })
      await button.waitFor()
      await slowDown(page)
      const sent: string[] = []
      page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
      await button.dblclick()
      await page
        .getByRole('row', { name: /Clicked twice/ })
        .getByText('Sold', { exact: true })
        .waitFor()
      expect(sent).toHaveLength(1)
      expect(await store.send<object[]>('GET', `/pets?ids=${id}`)).toMatchObject([{ status: 'sold' }])
    })
  })
})
