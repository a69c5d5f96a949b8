import { describe, expect } from 'bun:test'
import { goTo, loaded } from '../../../testing/dashboard/open.ts'
import {
  browserTest,
  dashboardForTests,
  expectAccessible,
  expectNoSidewaysScrolling,
} from '../../../testing/dashboard/store.ts'

const store = dashboardForTests({ keepsData: true, args: ['--environment', 'staging'] }, async () => {
  const pet = await store.send<{ id: number }>('POST', '/pets', { name: longName, categoryId: 1 })
  await store.send('POST', '/store/orders', { petId: pet.id, note: longName })
  await store.send('POST', '/projects', { name: longName })
  await store.send('PUT', '/store/website', { kind: 'shop', name: longName.slice(0, 80), language: 'de' })
})

/** The longest name, in one word. */
const longName = 'Rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz'.repeat(2).slice(0, 100)

const pages = [
  ['/', 'Overview'],
  ['/animals', 'Animals'],
  ['/animals/categories', 'Categories'],
  ['/animals/import', 'Import animals'],
  ['/orders', 'Orders'],
  ['/keys', 'API keys'],
  ['/keys/usage', 'API keys'],
  ['/keys/audit', 'API keys'],
  ['/web-shop', 'Web shop'],
  ['/projects', 'Projects'],
  ['/orders/1', 'Orders'],
  ['/animals/1', longName],
  ['/orders?place=1', 'Orders'],
  ['/keys?create=1', 'API keys'],
  ['/projects/1', longName],
  ['/projects/1/domains', longName],
  ['/projects/1/settings', longName],
  ['/settings', 'Settings'],
  ['/nowhere', 'Page not found'],
] as const

browserTest('every page has its title, no findings of axe-core, and fits 320 and 2560 px', async () => {
  await store.withPage('/', async (page) => {
    for (const [path, title] of pages) {
      // To load a page costs more than all that follows.
      await goTo(page, path)
      await page.getByRole('heading', { level: 1, name: title, includeHidden: true }).waitFor()
      await loaded(page)
      expect([path, await page.title()]).toEqual([path, `${title} · Pet Store`])
      await page.getByText('Staging: not your real store').waitFor()
      await expectAccessible(page)
      await page.emulateMedia({ forcedColors: 'active' })
      for (const width of [320, 2560]) {
        await page.setViewportSize({ width, height: 640 })
        await expectNoSidewaysScrolling(page)
      }
      await page.emulateMedia({ forcedColors: 'none' })
      await page.setViewportSize({ width: 1280, height: 720 })
    }
  })
})

describe('the palette', () => {
  browserTest('opens with Ctrl K, and finds pages, actions and animals, the exact name or number first', async () => {
    for (const name of ['Zinnia the first', 'Zinnia', 'Old Zinnia'])
      await store.send('POST', '/pets', { name, categoryId: 1 })
    const { id } = await store.send<{ id: number }>('POST', '/pets', { name: 'Numbered', categoryId: 1 })
    await store.send('PATCH', `/pets/${id}/profile`, { number: 'A-77' })
    await store.withPage('/', async (page) => {
      await page.keyboard.press('Control+k')
      const field = page.getByRole('combobox', { name: 'Search pages, actions and animals' })
      await field.fill('zinnia')
      await page.getByRole('option', { name: /^Zinnia Dog, available, no\. \d+$/ }).waitFor()
      const names = await page.getByRole('option').allTextContents()
      expect(names.map((name) => name.replace(/Dog.*/, ''))).toEqual(['Zinnia', 'Zinnia the first', 'Old Zinnia'])
      await page.keyboard.press('ArrowDown')
      const second = page.getByRole('option', { selected: true, name: /^Zinnia the first/ })
      await second.waitFor()
      expect(await field.getAttribute('aria-activedescendant')).toBe(await second.getAttribute('id'))
      await expectAccessible(page)
      await field.fill('a-77')
      await page.getByRole('option', { selected: true, name: 'Numbered Dog, available, no. A-77' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Numbered' }).waitFor()
      await page.keyboard.press('Control+k')
      await field.fill('audit')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'API keys' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/dashboard/keys/audit')
    })
  })

  browserTest('keeps the focus when the page behind it arrives late, until a phone hides its keyboard', async () => {
    await store.withPage('/', async (page) => {
      await page.keyboard.press('Control+k')
      const field = page.getByRole('combobox', { name: 'Search pages, actions and animals' })
      await field.fill('orders')
      const arrived = Promise.withResolvers<void>()
      await page.route('**/assets/*.js', async (route) => {
        await arrived.promise
        await route.continue()
      })
      await page.keyboard.press('Enter')
      await page.waitForURL('**/orders')
      await page.keyboard.press('Control+k')
      await field.fill('settings')
      arrived.resolve()
      await page.getByRole('heading', { level: 1, name: 'Orders', includeHidden: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await page.keyboard.press('Control+k')
      await field.fill('keys')
      // A dialog gives its first field the focus by a timer.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
      await field.blur()
      expect(await field.evaluate((input) => input === document.activeElement)).toBe(false)
      await page.getByRole('option', { name: 'API keys' }).click()
      await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    })
  })
})

describe('the words of an owner', () => {
  browserTest(
    'find selling, taking back a sale and colours in the palette, and nothing typed before is left',
    async () => {
      await store.withPage(
        '/',
        async (page) => {
          const field = page.getByRole('combobox', { name: 'Search pages, actions and animals' })
          for (const [text, option] of [
            ['sell', 'Sell an animal'],
            ['sold', 'Take back a sale'],
            ['undo', 'Take back a sale'],
            ['share', 'Create key'],
          ] as const) {
            await page.keyboard.press('Control+k')
            await field.fill(text)
            await page.getByRole('option', { name: option }).waitFor()
            if (text === 'sell') expect(await page.getByRole('option').first().textContent()).toBe('Sell an animal')
            await page.keyboard.press('Escape')
            await page.keyboard.press('Control+k')
            expect(await field.inputValue()).toBe('')
            await page.keyboard.press('Escape')
            await field.waitFor({ state: 'detached' })
          }
          await page.keyboard.press('Control+k')
          await field.fill('dark')
          await page.keyboard.press('Enter')
          await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' })
          await page.keyboard.press('Control+k')
          await field.fill('sell')
          await page.keyboard.press('Enter')
          await page.waitForURL('**/animals?status=available')
          await page.keyboard.press('Control+k')
          await field.fill('take back')
          await page.keyboard.press('Enter')
          await page.waitForURL('**/animals?status=sold')
          await page.getByText('choose “Mark as available”').waitFor()
        },
        { colorScheme: 'light' },
      )
    },
  )

  browserTest('search the orders with a number, or with words after "order"', async () => {
    await store.withPage('/', async (page) => {
      await page.getByRole('button', { name: 'Search pages, actions and animals' }).click()
      const field = page.getByRole('combobox', { name: 'Search pages, actions and animals' })
      for (const [text, wanted] of [
        ['order rind', 'rind'],
        ['order no. 1', '1'],
        [' #1', '1'],
        ['1', '1'],
      ] as const) {
        await field.fill(text)
        await page.getByRole('option', { name: `Search orders for “${wanted}”`, exact: true }).waitFor()
      }
      await field.fill('orders')
      await page.getByRole('option', { name: 'Orders', exact: true }).waitFor()
      expect(await page.getByRole('option', { name: /^Search orders/ }).count()).toBe(0)
      await field.fill('order 1')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: longName }).first().waitFor()
      expect(page.url()).toBe(`${store.url}/dashboard/orders?q=1`)
    })
  })

  browserTest('find an animal, which is sold from its page', async () => {
    const { id } = await store.send<{ id: number }>('POST', '/pets', { name: 'Larkspur', categoryId: 1 })
    await store.withPage('/orders', async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search pages, actions and animals' }).fill('larkspur')
      await page.getByRole('option', { name: /Larkspur/ }).click()
      await page.getByRole('button', { name: 'Mark as sold' }).click()
      await page.getByText('Larkspur is sold.').waitFor()
      const [sold] = await store.send<{ status: string }[]>('GET', `/pets?ids=${id}`)
      expect(sold?.status).toBe('sold')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search pages, actions and animals' }).fill('larkspur')
      await page.getByRole('option', { name: `Larkspur Dog, sold, no. ${id}` }).waitFor()
    })
  })
})

describe('the navigation', () => {
  browserTest('is at the bottom of a phone, with the rest behind "More"', async () => {
    await store.withPage(
      '/',
      async (page) => {
        const bottom = page.getByRole('navigation', { name: 'Pages', exact: true })
        await bottom.getByRole('link', { name: 'Orders' }).click()
        await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
        await bottom.getByRole('button', { name: 'More' }).click()
        await expectAccessible(page)
        await page.getByRole('link', { name: 'Settings' }).click()
        await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
        await page.goBack()
        await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
      },
      { viewport: { width: 390, height: 844 } },
    )
  })

  browserTest('puts the focus on the heading of the page that it opens, and says whom the docs are for', async () => {
    await store.withPage('/', async (page) => {
      const docs = page.getByRole('link', { name: 'Docs For programmers (opens in a new tab)' })
      expect(await docs.getAttribute('href')).toBe('/docs')
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await page.waitForFunction(() => document.activeElement?.textContent === 'Settings')
    })
  })
})

browserTest('the page has an outline before its scripts have arrived', async () => {
  await store.withPage('/', async (page) => {
    const arrived = Promise.withResolvers<void>()
    // The one that sets the colour scheme is before the page.
    await page.route(/\/assets\/(?!boot).*\.js$/, async (route) => {
      await arrived.promise
      await route.continue()
    })
    await page.reload({ waitUntil: 'commit' })
    await page.locator('.first-paint').waitFor()
    await page.getByText('Pet Store', { exact: true }).waitFor()
    arrived.resolve()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })
})

browserTest('the first load is at most 250 kB', async () => {
  await store.withPage('/', async (page) => {
    const session = await page.context().newCDPSession(page)
    let bytes = 0
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('load')
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(250_000)
  })
})

browserTest('a chosen colour scheme is there before the first paint of the next visit', async () => {
  await store.withPage(
    '/settings',
    async (page) => {
      await page.getByRole('button', { name: 'Your account' }).click()
      await page.getByRole('menuitemradio', { name: 'Dark' }).click()
      await page.reload({ waitUntil: 'commit' })
      await page.waitForSelector('html[data-mantine-color-scheme="dark"]', { state: 'attached' })
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.evaluate(() => document.documentElement.getAttribute('data-mantine-color-scheme'))).toBe('dark')
    },
    { colorScheme: 'light' },
  )
})
