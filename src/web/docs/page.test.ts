import { describe, expect, test } from 'bun:test'
import { axeFindings, colourRules } from '../../testing/browser.ts'
import { isBuilt } from '../../testing/executable.ts'
import { authorizeButton, browserTest, dialogOf, enterKey, open, serveDocs } from './testing/docs.ts'

const docs = serveDocs()
const { withDocs } = docs

describe('the guide', () => {
  browserTest('is open on the first visit and stays closed once it was closed', async () => {
    await withDocs(async (page) => {
      const chapter = page.getByRole('heading', { name: 'After a 429' })
      expect(await chapter.isVisible()).toBe(true)
      await page.getByRole('heading', { name: 'Guide' }).click()
      expect(await chapter.isVisible()).toBe(false)
      await page.reload()
      await page.locator('.opblock').first().waitFor()
      expect(await chapter.isVisible()).toBe(false)
      // A link to a chapter opens it.
      await page.goto(`${docs.url}/docs#after-a-429`)
      await chapter.waitFor()
    })
  })

  browserTest('has an address for each chapter', async () => {
    await withDocs(
      async (page) => {
        const inView = (title: string) =>
          page.getByRole('heading', { name: title }).evaluate((heading) => {
            const { top } = heading.getBoundingClientRect()
            return top >= 0 && top < innerHeight
          })
        expect(page.url()).toEndWith('#safe-retries')
        expect(await inView('Safe retries')).toBe(true)
        await page.getByRole('navigation', { name: 'Chapters' }).getByRole('link', { name: 'Errors' }).click()
        await page.waitForURL(/#errors$/)
        expect(await inView('Errors')).toBe(true)
      },
      {},
      '/docs#safe-retries',
    )
  })

  browserTest('has commands that work as pasted, with the address of this server', async () => {
    await withDocs(async (page) => {
      const blocks = await page.locator('.guide pre', { hasText: 'curl' }).allTextContents()
      const script = blocks.join('\n').replace('<API_KEY>', docs.key).replaceAll('curl', 'curl --silent --fail')
      expect(script).toContain(docs.url)
      const run = Bun.spawn(['sh', '-ec', script], { stdout: 'pipe', stderr: 'inherit' })
      const output = await new Response(run.stdout).text()
      expect([await run.exited, output]).toEqual([0, expect.stringContaining('"name":"Honeysuckle"')])
    })
  })
})

describe('the page', () => {
  browserTest('fits 320 and 2560 px, in the type of the dashboard', async () => {
    await withDocs(async (page) => {
      for (const width of [320, 2560]) {
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
    })
  })

  browserTest('fits 320 px when a changed body can be reset', async () => {
    await withDocs(
      async (page) => {
        const block = await open(page, 'animals-createPet')
        await block.getByRole('button', { name: 'Try it out' }).click()
        await block.getByRole('textbox').last().fill('{"name":"Ada","categoryId":1}')
        await block.getByRole('button', { name: 'Reset' }).waitFor()
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
      },
      { viewport: { width: 320, height: 700 } },
    )
  })

  browserTest('has no heads above columns that stand below each other on a phone', async () => {
    await withDocs(
      async (page, watched) => {
        const block = await open(page, 'animals-listPets')
        await block.getByRole('button', { name: 'Try it out' }).click()
        await block.getByRole('button', { name: 'Execute' }).click()
        const result = block.locator('.live-responses-table')
        await result.getByText('401').first().waitFor()
        expect(await result.getByText('Details', { exact: true }).isVisible()).toBe(false)
        watched.removeExpected(/401/)
      },
      { viewport: { width: 390, height: 844 } },
    )
  })

  browserTest('leads back to the dashboard, also on a phone', async () => {
    await withDocs(
      async (page, watched) => {
        await page.getByRole('banner').getByRole('link', { name: 'Dashboard' }).click()
        await page.waitForURL('**/dashboard/**')
        // Nobody is signed in.
        watched.removeExpected(/401/)
      },
      { viewport: { width: 320, height: 700 } },
    )
  })

  browserTest('has no findings of axe, opened and with its dialog, and none about its dark colours', async () => {
    await withDocs(async (page, watched) => {
      // The first operation of each tag stands for the closed ones.
      const operations = { include: ':root', exclude: 'span:has(> .opblock) ~ span > .opblock:not(.is-open)' }
      async function expectNoFindings(part: Parameters<typeof axeFindings>[1]): Promise<void> {
        expect(await axeFindings(page, part)).toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.locator('html.dark-mode').waitFor({ state: 'attached' })
        expect(await axeFindings(page, part, colourRules)).toEqual([])
        await page.emulateMedia({ colorScheme: 'light' })
        await page.locator('html:not(.dark-mode)').waitFor({ state: 'attached' })
      }
      for (const operation of ['animals-listPets', 'animals-createPet', 'animals-getPet', 'keys-listKeys']) {
        const block = await open(page, operation)
        await block.getByRole('button', { name: 'Try it out' }).click()
        await block.getByRole('button', { name: 'Execute' }).click()
        for (const fold of await block.locator('.response-fold > summary').all()) await fold.click()
      }
      await page.locator('.live-responses-table').first().waitFor()
      await expectNoFindings(operations)
      await authorizeButton(page).click()
      await enterKey(page, 'pet_live_wrong')
      await expectNoFindings('dialog')
      await enterKey(page, docs.key)
      await dialogOf(page).getByText('valid for production').waitFor()
      await expectNoFindings('dialog')
      expect(watched.removeExpected(/status of 401/)).toBeGreaterThan(0)
    })
  })

  browserTest('ignores the parameters of its address', async () => {
    const elsewhere = encodeURIComponent('https://example.com/openapi.json')
    await withDocs(
      async (page) => {
        expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Pet Store API')
        expect(await page.locator('.opblock.is-open').count()).toBe(0)
      },
      {},
      `/docs?url=${elsewhere}&configUrl=${elsewhere}&docExpansion=full&urls.primaryName=x`,
    )
  })

  browserTest('is sent compressed, and a second visit loads no file again', async () => {
    await withDocs(async (page) => {
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      let bytes = 0
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await session.send('Network.clearBrowserCache')
      await page.reload()
      await page.locator('.opblock').first().waitFor()
      const first = bytes
      expect(first).toBeGreaterThan(0)
      // openapi.json is sent uncompressed.
      const description = (await (await fetch(`${docs.url}/openapi.json`)).text()).length
      expect(first - description).toBeLessThan(420_000)
      bytes = 0
      await page.goto(`${docs.url}/docs`)
      await page.locator('.opblock').first().waitFor()
      expect(bytes - description).toBeLessThan(3_000)
    })
  })

  browserTest('follows the colour scheme of the system while it is open', async () => {
    await withDocs(
      async (page) => {
        expect(await page.locator('html').getAttribute('class')).toBe('dark-mode')
        await page.emulateMedia({ colorScheme: 'light' })
        await page.locator('html:not(.dark-mode)').waitFor({ state: 'attached' })
      },
      { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
    )
  })

  test.skipIf(!isBuilt)('allows nothing inline and no other host, like the page for unknown addresses', async () => {
    for (const path of ['/docs', '/docs/nothing', '/nothing']) {
      const { headers } = await fetch(`${docs.url}${path}`)
      const policy = headers.get('content-security-policy') ?? ''
      expect([path, policy]).toEqual([path, expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/)])
      expect(policy).not.toMatch(/unsafe|http/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('same-origin')
    }
  })

  test.skipIf(!isBuilt)('accepts GET and HEAD, and responds to other methods with 405 and Allow', async () => {
    const html = await (await fetch(`${docs.url}/docs`)).text()
    const script = /\/docs\/assets\/[^"]+\.js/.exec(html)?.[0] ?? ''
    for (const path of ['/docs', script]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const response = await fetch(`${docs.url}${path}`, { method })
        expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
      }
      const [get, head] = await Promise.all([
        fetch(`${docs.url}${path}`),
        fetch(`${docs.url}${path}`, { method: 'HEAD' }),
      ])
      expect(head.status).toBe(200)
      expect(await head.text()).toBe('')
      for (const name of ['content-type', 'content-encoding', 'etag', 'cache-control']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
      }
    }
  })
})
