/**
 * The page at /docs of the compiled executable, in a browser. To load it and to open an operation costs more than a second
 * of processor time each, so that a test looks at all that a page in one state shows, and most tests show few operations.
 */

import { describe, expect } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { axeFindings, colourRules, type WatchedPage, withPage } from '../../testing/browser.ts'
import { browserTest, dashboardForTests } from '../../testing/dashboard/store.ts'

const store = dashboardForTests()
/** The first key of the store. */
const key = () => store.process.ready.key ?? ''

interface DocsOptions extends BrowserContextOptions {
  readonly path?: string
  /** The operations that the page shows, by their ids; all unless given. Each step of a test takes a second with all. */
  readonly operations?: readonly string[]
}

/** Opens /docs; the test fails at its end if anything went wrong on the page. */
async function withDocs(
  use: (page: Page, watched: WatchedPage) => Promise<void>,
  { path = '/docs', operations, ...options }: DocsOptions = {},
): Promise<void> {
  await withPage(
    store.url,
    async (watched) => {
      if (operations !== undefined) await describeOnly(watched.page, operations)
      await load(watched.page, path)
      await use(watched.page, watched)
      expect(watched.complaints).toEqual([])
    },
    options,
  )
}

/** Removes all other operations from the description of the API that the page gets. */
async function describeOnly(page: Page, operations: readonly string[]): Promise<void> {
  type Methods = Record<string, { operationId: string }>
  const only = (places: Record<string, Methods>) =>
    Object.fromEntries(
      Object.entries(places).flatMap(([place, methods]) => {
        const kept = Object.entries(methods).filter(([, { operationId }]) => operations.includes(operationId))
        return kept.length === 0 ? [] : [[place, Object.fromEntries(kept)]]
      }),
    )
  const response = await fetch(`${store.url}/openapi.json`)
  const { paths, webhooks, ...rest } = (await response.json()) as Record<'paths' | 'webhooks', Record<string, Methods>>
  const json = { ...rest, paths: only(paths), webhooks: only(webhooks) }
  await page.route('**/openapi.json', (route) => route.fulfill({ json }))
}

async function load(page: Page, path: string): Promise<void> {
  await page.goto(`${store.url}${path}`)
  await page.locator('.opblock').first().waitFor()
}

const authorizeButton = (page: Page) => page.locator('.authorize-bar').getByRole('button', { name: 'Authorize' })

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'API key' })

async function enterKey(page: Page, text: string): Promise<void> {
  const field = dialogOf(page).getByLabel('Paste your API key')
  await field.fill(text)
  await field.press('Enter')
}

/** Leaves the operations of animals alone: with all others, each step would take a second of processor time. */
async function filterAnimals(page: Page): Promise<void> {
  await page.getByLabel('Filter operations by tag or path').fill('/pets')
  await page.locator('#operations-keys-rollKey').waitFor({ state: 'detached' })
}

/** Opens an operation of the page. */
async function open(page: Page, operation: string) {
  const block = page.locator(`#operations-${operation}`)
  await block.locator('.opblock-summary-control').click()
  await block.locator('.responses-table').waitFor()
  return block
}

describe('the guide', () => {
  browserTest('unfolds for the address of a chapter, and its commands work as they are pasted', async () => {
    await withDocs(
      async (page) => {
        const inView = (title: string) =>
          page.getByRole('heading', { name: title }).evaluate((heading) => {
            const { top } = heading.getBoundingClientRect()
            return top >= 0 && top < innerHeight
          })
        expect(await page.getByRole('heading', { name: 'After a 429' }).isVisible()).toBe(true)
        expect(page.url()).toEndWith('#safe-retries')
        expect(await inView('Safe retries')).toBe(true)
        await page.getByRole('navigation', { name: 'Chapters' }).getByRole('link', { name: 'Errors' }).click()
        await page.waitForURL(/#errors$/)
        expect(await inView('Errors')).toBe(true)

        // As pasted, with the address of this server.
        const blocks = await page.locator('.guide pre', { hasText: 'curl' }).allTextContents()
        const script = blocks.join('\n').replace('<API_KEY>', key()).replaceAll('curl', 'curl --silent --fail')
        expect(script).toContain(store.url)
        const run = Bun.spawn(['sh', '-ec', script], { stdout: 'pipe', stderr: 'inherit' })
        const output = await new Response(run.stdout).text()
        expect([await run.exited, output]).toEqual([0, expect.stringContaining('"name":"Honeysuckle"')])
      },
      { path: '/docs#safe-retries', operations: ['listPets'] },
    )
  })

  browserTest('is folded, so that the first operation is on the first screen of a laptop and of a phone', async () => {
    await withDocs(
      async (page) => {
        for (const [width, height] of [
          [1280, 800],
          [390, 844],
        ] as const) {
          await page.setViewportSize({ width, height })
          const { y = height, height: own = 0 } = (await page.locator('.opblock').first().boundingBox()) ?? {}
          expect([width, y + own <= height, y]).toEqual([width, true, y])
        }
        const chapter = page.getByRole('heading', { name: 'After a 429' })
        expect(await chapter.isVisible()).toBe(false)
        // The link in the masthead unfolds it again although the address stays the same.
        for (let i = 0; i < 2; i++) {
          await page.getByRole('banner').getByRole('link', { name: 'Guide' }).click()
          await chapter.waitFor()
          await page.locator('.guide > summary').click()
          expect(await chapter.isVisible()).toBe(false)
        }
      },
      { operations: ['listPets'] },
    )
  })
})

describe('the page', () => {
  browserTest('is sent compressed, and a second visit loads no file again', async () => {
    await withPage(store.url, async ({ page, complaints }) => {
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      let bytes = 0
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await session.send('Network.clearBrowserCache')
      // No parameter of the address chooses another description or changes an option.
      const elsewhere = encodeURIComponent('https://example.com/openapi.json')
      await load(page, `/docs?url=${elsewhere}&configUrl=${elsewhere}&docExpansion=full&urls.primaryName=x`)
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Pet Store API')
      expect(await page.locator('.opblock.is-open').count()).toBe(0)
      const first = bytes
      expect(first).toBeGreaterThan(0)
      // openapi.json is sent uncompressed.
      const description = (await (await fetch(`${store.url}/openapi.json`)).text()).length
      expect(first - description).toBeLessThan(420_000)
      bytes = 0
      await load(page, '/docs')
      expect(bytes - description).toBeLessThan(3_000)
      expect(complaints).toEqual([])
    })
  })

  browserTest(
    'fits phones and wide windows, and follows the colour scheme of the system while it is open',
    async () => {
      await withDocs(
        async (page, watched) => {
          expect(await page.locator('html').getAttribute('class')).toBe('dark-mode')
          await page.emulateMedia({ colorScheme: 'light' })
          await page.locator('html:not(.dark-mode)').waitFor({ state: 'attached' })

          for (const width of [2560, 320]) {
            await page.setViewportSize({ width, height: 700 })
            const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
            expect([width, Math.max(excess, 0)]).toEqual([width, 0])
          }
          const fonts = await page.evaluate(() =>
            ['header', '.info .title', '.info p', '.opblock-tag', '.opblock-summary-description', '.btn'].map(
              (selector) => {
                const element = document.querySelector(selector)
                return element === null ? 'missing' : getComputedStyle(element).fontFamily
              },
            ),
          )
          expect([...new Set(fonts)]).toEqual([expect.stringMatching(/^system-ui/)])

          // With the button that resets a changed body.
          await filterAnimals(page)
          const create = await open(page, 'animals-createPet')
          await create.getByRole('button', { name: 'Try it out' }).click()
          await create.getByRole('textbox').last().fill('{"name":"Ada","categoryId":1}')
          await create.getByRole('button', { name: 'Reset' }).waitFor()
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)

          // Columns that stand below each other have no heads.
          await create.getByRole('button', { name: 'Execute' }).click()
          const result = create.locator('.live-responses-table')
          await result.getByText('401').first().waitFor()
          expect(await result.getByText('Details', { exact: true }).isVisible()).toBe(false)

          await page.getByRole('banner').getByRole('link', { name: 'Dashboard' }).click()
          await page.waitForURL('**/dashboard/**')
          // Nobody is signed in.
          watched.removeExpected(/401/)
        },
        { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
      )
    },
  )

  describe('has no findings of axe', () => {
    async function expectNoFindings(page: Page, part?: Parameters<typeof axeFindings>[1]): Promise<void> {
      expect(await axeFindings(page, part)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('html.dark-mode').waitFor({ state: 'attached' })
      expect(await axeFindings(page, part, colourRules)).toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
      await page.locator('html:not(.dark-mode)').waitFor({ state: 'attached' })
    }

    browserTest('with all operations', async () => {
      await withDocs(async (page) => {
        // The first operation of each tag stands for the others.
        const others = ['span:has(> .opblock) ~ span', '.webhooks > div ~ div > span']
        const exclude = others.map((place) => `${place} > .opblock`).join(', ')
        await expectNoFindings(page, { include: ':root', exclude })
      })
    })

    browserTest('with its dialog and with open operations', async () => {
      await withDocs(
        async (page, watched) => {
          await authorizeButton(page).click()
          await enterKey(page, 'pet_live_wrong')
          await page.locator('.key-dialog-error').waitFor()
          await expectNoFindings(page, 'dialog')
          await enterKey(page, key())
          await dialogOf(page).waitFor({ state: 'detached' })
          await authorizeButton(page).click()
          await dialogOf(page).getByText('valid for production').waitFor()
          await expectNoFindings(page, 'dialog')
          await dialogOf(page).getByRole('button', { name: 'Close' }).click()
          // One with parameters and one with a body.
          for (const operation of ['animals-listPets', 'animals-createPet']) {
            const block = await open(page, operation)
            await block.getByRole('button', { name: 'Try it out' }).click()
            await block.getByRole('button', { name: 'Execute' }).click()
            for (const fold of await block.locator('.response-fold > summary').all()) await fold.click()
            await block.locator('.live-responses-table').waitFor()
          }
          await expectNoFindings(page)
          expect(watched.removeExpected(/status of 401/)).toBeGreaterThan(0)
        },
        { operations: ['listPets', 'createPet'] },
      )
    })
  })

  browserTest('allows nothing inline and no other host, like the page for unknown addresses', async () => {
    for (const path of ['/docs', '/docs/nothing', '/nothing']) {
      const { headers } = await fetch(`${store.url}${path}`)
      const policy = headers.get('content-security-policy') ?? ''
      expect([path, policy]).toEqual([path, expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/)])
      expect(policy).not.toMatch(/unsafe|http/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('same-origin')
    }
  })

  browserTest('accepts GET and HEAD, and responds to other methods with 405 and Allow', async () => {
    const html = await (await fetch(`${store.url}/docs`)).text()
    const script = /\/docs\/assets\/[^"]+\.js/.exec(html)?.[0] ?? ''
    for (const path of ['/docs', script]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const response = await fetch(`${store.url}${path}`, { method })
        expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
      }
      const [get, head] = await Promise.all([
        fetch(`${store.url}${path}`),
        fetch(`${store.url}${path}`, { method: 'HEAD' }),
      ])
      expect(head.status).toBe(200)
      expect(await head.text()).toBe('')
      for (const name of ['content-type', 'content-encoding', 'etag', 'cache-control']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
      }
    }
  })
})

describe('a key', () => {
  browserTest('authorizes the page, also on the next visit, until it is removed', async () => {
    await store.send('POST', '/pets', { name: 'Honeysuckle', categoryId: 2 })
    await withDocs(
      async (page) => {
        await authorizeButton(page).click()
        await enterKey(page, `  Bearer ${key()}\n`)
        await dialogOf(page).waitFor({ state: 'detached' })
        expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Authorize')

        // "Try it out" sends requests with it.
        const listPets = await open(page, 'animals-listPets')
        await listPets.getByRole('button', { name: 'Try it out' }).click()
        await listPets.getByRole('button', { name: 'Execute' }).click()
        const response = listPets.locator('.live-responses-table')
        expect(await response.locator('tbody .response-col_status').textContent()).toContain('200')
        expect(await response.locator('.highlight-code').first().textContent()).toContain('"name": "Honeysuckle"')
        expect(await listPets.locator('.request-url').textContent()).toContain(`${store.url}/v1/pets`)

        await load(page, '/docs')
        await page.locator('.btn.authorize.locked').waitFor()
        await authorizeButton(page).click()
        await dialogOf(page).getByText('valid for production').waitFor()
        await dialogOf(page).getByRole('button', { name: 'Close' }).click()

        // A removed key is not shown again when its check ends.
        const check = Promise.withResolvers<void>()
        await page.route('**/v1/keys/current', async (route) => {
          await check.promise
          await route.continue()
        })
        const checked = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/v1/keys/current'))
        await authorizeButton(page).click()
        await dialogOf(page).getByRole('button', { name: 'Log out' }).click()
        await dialogOf(page).getByLabel('Paste your API key').waitFor()
        await page.locator('.btn.authorize.unlocked').waitFor({ state: 'attached' })
        check.resolve()
        await checked
        // By the time of a later response the page has read the earlier one.
        await page.evaluate(async () => void (await (await fetch('/healthz')).text()))
        expect(await page.locator('.key-dialog-result').textContent()).toBe('')
      },
      { operations: ['listPets'] },
    )
  })

  browserTest('is entered in a dialog that keeps the focus and reports a wrong one', async () => {
    const wrong: [text: string, message: string][] = [
      ['', 'Paste an API key first.'],
      ['pet_live_short', 'check that you have copied all of it'],
      [key().replace('pet_live_', 'pet_test_'), 'This is a staging key (pet_test_…)'],
      ['pet_live_ with spaces', 'it contains spaces or characters that no key has'],
      ['pet_live_'.repeat(2_500), 'it is longer than any key'],
      ['pet_live_…', 'it contains spaces or characters that no key has'],
    ]
    await withDocs(
      async (page, watched) => {
        const inDialog = () => page.evaluate(() => document.activeElement?.closest('dialog') !== null)
        await authorizeButton(page).focus()
        await page.keyboard.press('Enter')
        await dialogOf(page).waitFor()
        expect(await page.evaluate(() => document.activeElement?.id)).toBe('key-dialog-key')
        const reached: boolean[] = []
        for (let i = 0; i < 6; i++) {
          await page.keyboard.press('Tab')
          // After the last field the browser's own controls have the focus; the page then reports its body.
          reached.push((await inDialog()) || (await page.evaluate(() => document.activeElement === document.body)))
        }
        expect(reached).not.toContain(false)

        for (const [text, message] of wrong) {
          await enterKey(page, text)
          await page.locator('.key-dialog-error', { hasText: message }).waitFor()
          expect(await page.locator('#key-dialog-key').evaluate((input) => input === document.activeElement)).toBe(true)
        }
        await page.context().setOffline(true)
        await enterKey(page, key())
        await page.locator('.key-dialog-error', { hasText: 'the server cannot be reached' }).waitFor()
        await page.context().setOffline(false)
        await page.keyboard.press('Escape')
        await dialogOf(page).waitFor({ state: 'detached' })
        expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Authorize')
        expect(await page.locator('.btn.authorize.unlocked').count()).toBe(1)
        expect(watched.removeExpected(/status of 401|ERR_INTERNET_DISCONNECTED/)).toBe(3)
      },
      { operations: ['listPets'] },
    )
  })
})

browserTest('an operation fits on two screens, and shows its common headers once and its errors', async () => {
  await withDocs(
    async (page) => {
      expect(await page.locator('#operations-animals-listPets .stability').count()).toBe(0)
      expect(await page.locator('#operations-animals-restorePet .stability').textContent()).toBe('beta')

      const operations = ['animals-listPets', 'animals-createPet', 'keys-rollKey']
      for (const operation of operations) await open(page, operation)
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 })
        for (const operation of operations) {
          const height = (await page.locator(`#operations-${operation}`).boundingBox())?.height
          expect([width, operation, Number(height) <= 2 * 844, height]).toEqual([width, operation, true, height])
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      }

      const block = page.locator('#operations-animals-createPet')
      // Without our styles, Swagger UI makes the column of a response with a schema too narrow.
      const response = block.locator('.response')
      await response.getByRole('tab', { name: 'Schema' }).click()
      const { width = 0 } = (await response.locator('.response-col_description').boundingBox()) ?? {}
      expect(width).toBeGreaterThan(250)

      expect(await block.locator('dt', { hasText: 'X-Request-Id' }).count()).toBe(1)
      await block.getByText('Headers of every response').click()
      await block.locator('.response-fold dd').first().waitFor()
      await block.getByText('Other responses').click()
      await block.getByText('name is required.').waitFor()
      const tooMany = block.locator('.other-response', { hasText: '429' })
      expect(await tooMany.locator('dt').allTextContents()).toEqual(['Retry-After integer'])
    },
    { operations: ['listPets', 'createPet', 'restorePet', 'rollKey'], viewport: { width: 1280, height: 844 } },
  )
})

browserTest('the messages of webhooks are shown, and a stream cannot be tried', async () => {
  await withDocs(
    async (page) => {
      const stream = await open(page, 'events-streamEvents')
      await stream.getByText('pet.*, profile.*, category.*').waitFor()
      // It would show nothing: the response has no end.
      expect(await stream.getByRole('button', { name: 'Try it out' }).count()).toBe(0)
      const message = await open(page, 'webhooks-petUpdated')
      await message.getByText('two separated by a space while two secrets are valid').waitFor()
    },
    { operations: ['streamEvents', 'petUpdated'] },
  )
})

browserTest('the operations are filtered by path, and an import is tried with its example or with a file', async () => {
  await withDocs(
    async (page) => {
      await page.getByLabel('Filter operations by tag or path').fill('imports')
      await page.locator('#operations-animals-listPets').waitFor({ state: 'detached' })
      await authorizeButton(page).click()
      await enterKey(page, key())
      await dialogOf(page).waitFor({ state: 'detached' })
      const block = await open(page, 'animals-createImport')
      await block.getByRole('button', { name: 'Try it out' }).click()
      const body = block.getByRole('textbox', { name: 'Request body' })
      expect(await body.inputValue()).toContain('Rex,Dog,available')
      const responseOf = async () => {
        const response = page.waitForResponse('**/v1/imports*')
        await block.getByRole('button', { name: 'Execute' }).click()
        return (await response).json()
      }
      expect(await responseOf()).toMatchObject({ imported: 2 })
      const buffer = Buffer.from('name,category\nFile of Ada,Cat\n')
      await block.getByLabel('File to send').setInputFiles({ name: 'animals.csv', mimeType: 'text/csv', buffer })
      await page.waitForFunction(() =>
        [...document.querySelectorAll('textarea')].some(({ value }) => value.includes('Ada')),
      )
      expect(await responseOf()).toMatchObject({ imported: 1 })
      for (const part of ['.operations-bar', '.body-file']) expect(await axeFindings(page, part)).toEqual([])
    },
    { operations: ['listPets', 'createImport'] },
  )
})
