/** A dashboard on loopback for tests: a real listener on a test store, and browsers that keep cookies. */

import { createSetupToken } from '../../access/owner/set-up.ts'
import type { AppConfig } from '../../app/app-parts.ts'
import { startServer } from '../../app/start-server.ts'
import type { OpenDatabase } from '../../database/open.ts'
import { createDashboardPage } from '../../server/assets/serve.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

export const ownerEmail = 'ada@shop.example'
export const ownerPassword = 'correct horse battery'

export interface SendOptions {
  readonly method?: string
  readonly body?: unknown
  /** null removes a header that the browser would send. */
  readonly headers?: Readonly<Record<string, string | null>>
}

export interface BrowserResult {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the content of the body
  readonly json: any
}

/** A browser with an empty jar, whose pages belong to `url`. It sends the headers of a request of our own page. */
export function createBrowser(url: string, userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0') {
  const cookies = new Map<string, string>()

  /** Sends a request and resolves to its unread response; the cookies are kept. */
  async function open(path: string, { method = 'GET', body, headers = {} }: SendOptions = {}): Promise<Response> {
    const own = {
      'user-agent': userAgent,
      'sec-fetch-site': 'same-origin',
      ...(cookies.size > 0 ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
      ...(method === 'GET' ? {} : { origin: url }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    const sent = Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== null)
    const response = await fetch(url + path, {
      method,
      headers: sent,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (/Max-Age=0\b/.test(cookie)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }

  async function send(path: string, options: SendOptions = {}): Promise<BrowserResult> {
    const response = await open(path, options)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }

  const post = (path: string, body?: unknown, headers: SendOptions['headers'] = {}) =>
    send(path, { method: 'POST', body, headers })

  return {
    cookies,
    open,
    send,
    get: (path: string, headers: SendOptions['headers'] = {}) => send(path, { headers }),
    post,
    setUp: (token: string, email = ownerEmail, password = ownerPassword) =>
      post('/dashboard/setup', { token, email, password }),
    signIn: (email = ownerEmail, password = ownerPassword) => post('/dashboard/sign-in', { email, password }),
    /** Trades the session for a bearer token. */
    async trade(): Promise<string> {
      return (await post('/dashboard/token', {})).json.token
    },
  }
}
export type TestBrowser = ReturnType<typeof createBrowser>

/** Serves the dashboard of a test store until `close`, which leaves the store open. */
export async function serveTestDashboard({ app, clock }: TestStore) {
  const folder = emptyFolder()
  const page = `${folder.path}/page.html`
  await Bun.write(page, '<!doctype html><meta name="csp-nonce" content="{{nonce}}"><title>Pet Store</title>')
  const pages = createDashboardPage('/dashboard/', [
    { path: '/dashboard/', type: 'text/html; charset=utf-8', hash: 'p', codings: { identity: page } },
  ])
  const listener = startServer(app, { hostname: '127.0.0.1', port: 0, servers: {}, pages })
  const setupToken = () => app.writer.write(() => createSetupToken(app, clock.now()))

  return {
    url: listener.url,
    browser: (userAgent?: string) => createBrowser(listener.url, userAgent),
    setupToken,
    /** Makes the owner; returns the browser that is signed in. */
    async setUp() {
      const browser = createBrowser(listener.url)
      await browser.setUp(await setupToken())
      return browser
    },
    async close() {
      app.live.close()
      await listener.stop()
      folder.remove()
    },
  }
}

export async function openTestDashboard(config: Partial<AppConfig> = {}, database?: OpenDatabase) {
  const store = await openTestStore(config, undefined, database)
  const dashboard = await serveTestDashboard(store)
  return {
    ...store,
    ...dashboard,
    async close() {
      await dashboard.close()
      await store.close()
    },
  }
}
export type TestDashboard = Awaited<ReturnType<typeof openTestDashboard>>
