/**
 * A real browser for tests of web pages, on the compiled executable. Every page is watched: a message on its console,
 * an error, a violation of its Content-Security-Policy or a request to another host fails the test.
 */

import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type axe from 'axe-core'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { isBuilt } from './executable.ts'

// Without the windows of the whole browser, a page needs a third of the processor time.
export const browserPath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))

// Half as long as `axe.source`, which the browser would get and compile for each page.
const axeSource = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8')

/** Whether Chromium is installed and the executable is built. Prints a line if Chromium is missing. */
export const hasBrowser = isBuilt && browserPath !== undefined
if (isBuilt && !hasBrowser) console.error('SKIPPED: tests of web pages need chromium-headless-shell or chromium.')

/** An address of a private network and a public name that lead to this machine, for the browser alone. */
export const lanAddress = '192.168.7.7'
export const publicName = 'shop.example.com'

const chromiumArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  // A page that opens in the process of another one finds its scripts compiled.
  '--process-per-site',
  `--host-resolver-rules=MAP ${lanAddress} 127.0.0.1,MAP ${publicName} 127.0.0.1`,
  // Requests that Chromium sends on its own.
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

interface SharedBrowser {
  readonly browser: Browser
  /** The context of all pages without other options. */
  readonly context: BrowserContext
  /** Stays open, and with it the process of the pages. It has loaded something of `origin`. */
  readonly keeper: Page
  origin: string
}

let started: Promise<SharedBrowser> | undefined
/**
 * The browser of this process. It starts with the first page and ends with the process: to start one costs a second.
 */
function sharedBrowser(): Promise<SharedBrowser> {
  started ??= startBrowser()
  return started
}

/** Ends the browser, for a program that continues or waits for the end of the browser. */
export async function closeBrowser(): Promise<void> {
  await (await started)?.browser.close()
}

async function startBrowser(): Promise<SharedBrowser> {
  const browser = await chromium.launch({ executablePath: browserPath ?? '', args: chromiumArguments })
  // A browser that has crashed fails the tests of one file, not of all that follow.
  browser.on('disconnected', () => {
    started = undefined
  })
  const context = await browser.newContext(defaults)
  return { browser, context, keeper: await context.newPage(), origin: '' }
}

/** The shared context. Of another server at the same address it may have files: their tags are made of what they contain. */
async function sharedContext(origin: string): Promise<BrowserContext> {
  const shared = await sharedBrowser()
  if (shared.origin !== origin) {
    const session = await shared.context.newCDPSession(shared.keeper)
    await session.send('Network.clearBrowserCache')
    await session.detach()
    await shared.keeper.goto(`${origin}/healthz`)
    shared.origin = origin
  }
  return shared.context
}

export interface WatchedPage {
  readonly page: Page
  /** Console messages, errors and forbidden requests of the page until now. A test expects none at its end. */
  readonly complaints: readonly string[]
  /** Removes the complaints that a test has caused; returns their number. */
  removeExpected(pattern: RegExp): number
}

export interface PageOptions extends BrowserContextOptions {
  /** Whether the page shares no context: it has an empty cache, and moving its clock moves no other one. */
  readonly hasOwnContext?: boolean
}

const defaults = {
  locale: 'en-GB',
  viewport: { width: 1280, height: 720 },
  colorScheme: 'light',
  reducedMotion: 'reduce',
  forcedColors: 'none',
} as const satisfies BrowserContextOptions

/**
 * Opens an empty page whose requests may only go to `origin`. A failed test leaves a screenshot of its page. Pages
 * share a context, which keeps the files of a server in its cache; cookies and storage are removed after each page. A
 * page with other options than a size, a colour scheme, reduced motion and forced colours has its own context.
 */
export async function withPage(
  origin: string,
  use: (watched: WatchedPage) => Promise<void>,
  { viewport, colorScheme, reducedMotion, forcedColors, hasOwnContext = false, ...others }: PageOptions = {},
): Promise<void> {
  const isShared = !hasOwnContext && Object.keys(others).length === 0
  const options = { ...defaults, ...others }
  const context = isShared ? await sharedContext(origin) : await (await sharedBrowser()).browser.newContext(options)
  const page = await context.newPage()
  // Before the test times out, so that the error names the step.
  page.setDefaultTimeout(100_000)
  try {
    if (viewport) await page.setViewportSize(viewport)
    await page.emulateMedia({
      colorScheme: colorScheme ?? defaults.colorScheme,
      reducedMotion: reducedMotion ?? defaults.reducedMotion,
      forcedColors: forcedColors ?? defaults.forcedColors,
    })
    // A page learns its new size a moment later.
    const resize = page.setViewportSize.bind(page)
    page.setViewportSize = async (size) => {
      await resize(size)
      await page.waitForFunction((width) => innerWidth === width, size.width)
    }
    const route = page.route.bind(page)
    page.route = async (...parameters) => {
      const added = await route(...parameters)
      await waitForRoutes(page, route, `${origin}/healthz`)
      return added
    }
    await use(await watchPage(page, origin))
  } catch (error) {
    const path = join(mkdtempSync(join(tmpdir(), 'petstore-failed-page-')), 'page.png')
    await page.screenshot({ path }).then(
      () => console.error(`Screenshot of the failed page: ${path}`),
      () => console.error('No screenshot of the failed page could be taken.'),
    )
    throw error
  } finally {
    await (isShared ? removePage(page, origin) : context.close())
  }
}

/**
 * Waits until the page's own process knows of its routes. Chromium confirms them before, and a request until then
 * bypasses them.
 */
async function waitForRoutes(page: Page, route: Page['route'], address: string): Promise<void> {
  let isEffective = false
  const probe = await route(address, (one) => {
    isEffective = true
    return one.fulfill()
  })
  while (!isEffective) await page.evaluate((url) => fetch(url).catch(() => {}), address)
  await probe.dispose()
}

/**
 * Closes a page of the shared context and those that it has opened. Removes everything that they stored except the HTTP
 * cache.
 */
async function removePage(page: Page, origin: string): Promise<void> {
  const context = page.context()
  const keeper = (await started)?.keeper
  await Promise.all(context.pages().map((one) => (one === page || one === keeper ? undefined : one.close())))
  const session = await context.newCDPSession(page)
  const storageTypes = 'cookies,local_storage,indexeddb,cache_storage,service_workers'
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes })
  await context.clearCookies()
  await context.setOffline(false)
  await page.close()
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

/**
 * Runs axe-core on the page or a part of it, with all rules or with `rules`, once all colours have stopped changing.
 * Returns one line for each element with a violation.
 */
export async function axeFindings(
  page: Page,
  part: string | { include: string; exclude: string } = ':root',
  rules?: readonly string[],
): Promise<string[]> {
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    // A Content-Security-Policy forbids a script element, but not the debugger. Its scripts are compiled once for all
    // pages.
    const session = await page.context().newCDPSession(page)
    await session.send('Runtime.evaluate', { expression: axeSource })
    await session.detach()
  }
  const { violations } = await page.evaluate(
    ({ part, rules }) => {
      const { run } = (globalThis as unknown as { axe: typeof axe }).axe
      // A sandboxed frame can't answer, and what it shows is examined on its own.
      return run(part, {
        resultTypes: ['violations'],
        preload: false,
        iframes: false,
        ...(rules && { runOnly: [...rules] }),
      })
    },
    { part, rules },
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html}`))
}

/** The rules of axe-core whose findings depend on the colour scheme. */
export const colourRules = ['color-contrast', 'link-in-text-block']
