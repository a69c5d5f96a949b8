/**
 * A real browser for tests of web pages, on the compiled executable. Every page is watched: a message on its console, an
 * error, a violation of its Content-Security-Policy or a request to another host fails the test.
 */

import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { isBuilt } from './executable.ts'

const browserPath = '/usr/bin/chromium'

/** Whether Chromium is installed and the executable is built. Prints a line if Chromium is missing. */
export const hasBrowser = isBuilt && existsSync(browserPath)
if (isBuilt && !hasBrowser) console.error(`SKIPPED: the web pages are not tested, because ${browserPath} is missing.`)

/** Without the requests that Chromium sends by itself. */
const chromiumArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** `host` is a name or an address that leads to this machine for the browser alone. */
export function launchBrowser(host?: string): Promise<Browser> {
  const rules = host === undefined ? [] : [`--host-resolver-rules=MAP ${host} 127.0.0.1`]
  return chromium.launch({ executablePath: browserPath, args: [...chromiumArguments, ...rules] })
}

export interface WatchedPage {
  readonly page: Page
  /** Console messages, errors and forbidden requests of the page until now. A test expects none at its end. */
  readonly complaints: readonly string[]
  /** Removes the complaints that a test has caused; returns their number. */
  removeExpected(pattern: RegExp): number
}

/** Opens an empty page whose requests may only go to `origin`. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  return watchPage(await context.newPage(), origin)
}

/** Watches a page that is still empty. */
export async function watchPage(page: Page, origin: string): Promise<WatchedPage> {
  let complaints: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith('data:') && new URL(url).origin !== origin) complaints.push(`a request to ${url}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  // The console does not show every violation.
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
    removeExpected(pattern) {
      const kept = complaints.filter((text) => !pattern.test(text))
      const removed = complaints.length - kept.length
      complaints = kept
      return removed
    },
  }
}

/** Runs axe-core on the page or a part of it. Returns one line for each element with a violation. */
export async function axeFindings(page: Page, selector = ':root'): Promise<string[]> {
  // A Content-Security-Policy forbids a script element, but not the evaluation by the debugger.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    (part) => (globalThis as unknown as { axe: typeof axe }).axe.run(part),
    selector,
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html}`))
}
