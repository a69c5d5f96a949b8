/**
 * A real browser for tests of web pages, on the compiled executable. Every page is watched: a message on its console, an
 * error, a violation of its Content-Security-Policy or a request to another host fails the test.
 */

import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { isBuilt } from './executable.ts'

const browserPath = '/usr/bin/chromium'

/** Whether pages can be tested here; says so aloud if not. */
export const hasBrowser = isBuilt && existsSync(browserPath)
if (isBuilt && !hasBrowser) console.error(`SKIPPED: the web pages are not tested, because ${browserPath} is missing.`)

/** Nothing of the browser's own may use the network. */
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

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath, args: quiet })
}

export interface WatchedPage {
  readonly page: Page
  /** What went wrong on the page until now: is to be empty at the end of a test. */
  readonly complaints: readonly string[]
  /** Removes complaints that a test has brought about; returns how many there were. */
  forgive(pattern: RegExp): number
}

/** Opens an empty page whose requests may only go to `origin`. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  let complaints: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith('data:') && new URL(url).origin !== origin) complaints.push(`a request to ${url}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  // Also those of which the console says nothing.
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`securitypolicyviolation: ${violatedDirective} ${blockedURI}`)
    })
  })
  return {
    page,
    get complaints() {
      return complaints
    },
    forgive(pattern) {
      const kept = complaints.filter((text) => !pattern.test(text))
      const forgiven = complaints.length - kept.length
      complaints = kept
      return forgiven
    },
  }
}

/** Returns the findings of axe-core on the page, or a part of it, as it is now: one line for each element. */
export async function axeFindings(page: Page, selector = ':root'): Promise<string[]> {
  // Evaluated by the debugger, which a Content-Security-Policy doesn't forbid, unlike a script element.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    (part) => (globalThis as unknown as { axe: typeof axe }).axe.run(part),
    selector,
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html}`))
}
