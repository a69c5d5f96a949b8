import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const root = new URL('../..', import.meta.url).pathname
const executable = `${root}dist/petstore`
const browserPath = '/usr/bin/chromium'
const missing = [executable, browserPath].filter((path) => !existsSync(path))

if (missing.length > 0) {
  console.error(`SKIPPED: the docs page is not tested in a browser, for want of ${missing.join(' and ')}`)
}

/** A browser on a busy machine takes its time. */
const patienceMs = 60_000

const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts the executable and opens its docs page in a browser for the time of `use`. */
async function withDocs(use: (page: Page, store: { url: string; key: string }) => Promise<void>): Promise<void> {
  const server = Bun.spawn([executable, 'serve', '--ephemeral', '--port', '0', '--json'], {
    cwd: '/',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let browser: Browser | undefined
  try {
    const store = await firstLine(server.stdout)
    browser = await chromium.launch({ executablePath: browserPath, args: quiet })
    await use(await browser.newPage(), store)
  } finally {
    await browser?.close()
    server.kill()
    await server.exited
  }
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<{ url: string; key: string }> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  return JSON.parse(text.split('\n')[0] ?? '')
}

test.skipIf(missing.length > 0)(
  'the docs page authorizes and tries operations out, and asks no other host',
  async () => {
    await withDocs(async (page, { url, key }) => {
      await fetch(`${url}/v1/pets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'Honeysuckle', categoryId: 2 }),
      })
      const hosts = new Set<string>()
      const complaints: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin)
      })
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))

      await page.goto(`${url}/docs`)
      await page.locator('.scheme-container').getByRole('button', { name: 'Authorize' }).click()
      await page.getByLabel('auth-bearer-value').fill(key)
      await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Apply credentials' }).click()
      await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Close' }).click()

      const listPets = page.locator('#operations-animals-listPets')
      await listPets.locator('.opblock-summary-control').click()
      await listPets.getByRole('button', { name: 'Try it out' }).click()
      await listPets.getByRole('button', { name: 'Execute' }).click()
      const answer = listPets.locator('.live-responses-table')
      expect(await answer.locator('tbody .response-col_status').textContent()).toContain('200')
      expect(await answer.locator('.highlight-code').first().textContent()).toContain('"name": "Honeysuckle"')
      expect(await listPets.locator('.request-url').textContent()).toContain(`${url}/v1/pets`)

      await page.reload()
      // Still authorized.
      await page.locator('.btn.authorize.locked').waitFor()
      expect([...hosts]).toEqual([url])
      expect(complaints).toEqual([])
    })
  },
  patienceMs,
)

test.skipIf(missing.length > 0)(
  'the docs page fits a phone, follows the colour scheme and marks what is beta',
  async () => {
    await withDocs(async (page, { url }) => {
      await page.setViewportSize({ width: 390, height: 844 })
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.goto(`${url}/docs`)
      await page.locator('.opblock').first().waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
      expect(await page.locator('html').getAttribute('class')).toBe('dark-mode')
      await page.emulateMedia({ colorScheme: 'light' })
      await page.locator('html:not(.dark-mode)').waitFor({ state: 'attached' })
      expect(await page.locator('#operations-animals-listPets .stability').count()).toBe(0)
      expect(await page.locator('.opblock .stability').first().textContent()).toBe('beta')
    })
  },
  patienceMs,
)
