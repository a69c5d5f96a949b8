/** For tests of the documentation: the compiled executable and a browser, which the tests of a file share. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { createPages, hasBrowser, type WatchedPage } from '../../../testing/browser.ts'
import { emptyFolder, isBuilt, type PetstoreProcess, startPetstoreProcess } from '../../../testing/executable.ts'

/** Browsers are slow on a busy machine. */
const timeoutMs = 120_000

/** Starts a server before the tests of the file, and ends it after the last one. */
export function serveDocs() {
  const folder = emptyFolder()
  let server: PetstoreProcess
  const pages = createPages()

  beforeAll(async () => {
    if (!isBuilt) return
    server = await startPetstoreProcess(['--ephemeral'], { cwd: folder.path })
  }, timeoutMs)

  afterAll(async () => {
    await pages.close()
    await server?.stop()
    folder.remove()
  })

  return {
    get url(): string {
      return server.ready.url
    },
    /** The first key of the store. */
    get key(): string {
      return server.ready.key ?? ''
    },
    /** Opens /docs; the test fails at its end if anything went wrong on the page. */
    async withDocs(
      use: (page: Page, watched: WatchedPage) => Promise<void>,
      options: BrowserContextOptions = {},
      path = '/docs',
    ): Promise<void> {
      const { url } = server.ready
      await pages.withPage(
        url,
        async (watched) => {
          await watched.page.goto(`${url}${path}`)
          await watched.page.locator('.opblock').first().waitFor()
          await use(watched.page, watched)
          expect(watched.complaints).toEqual([])
        },
        options,
      )
    },
  }
}

export const authorizeButton = (page: Page) => page.locator('.authorize-bar').getByRole('button', { name: 'Authorize' })

export const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'API key' })

export async function enterKey(page: Page, text: string): Promise<void> {
  const dialog = dialogOf(page)
  await dialog.getByLabel('Paste your API key').fill(text)
  await dialog.getByRole('button', { name: 'Authorize' }).click()
  await page.locator('.key-dialog-result :is(p, dl)').waitFor()
}

/** Opens an operation of the page. */
export async function open(page: Page, operation: string) {
  const block = page.locator(`#operations-${operation}`)
  await block.locator('.opblock-summary-control').click()
  await block.locator('.responses-table').waitFor()
  return block
}

export const browserTest = (title: string, run: () => Promise<void>) => test.skipIf(!hasBrowser)(title, run, timeoutMs)
