/**
 * The real application for tests, in memory, with a manual clock. Every response is checked against the OpenAPI
 * document.
 */

import type { Plan } from '../access/accounts/rules.ts'
import { type IssuedKey, issueFirstKey, issueKey, type NewKey } from '../access/keys/issue.ts'
import { defaultScopes, type Scope } from '../api/scopes.ts'
import { createApp } from '../app/app.ts'
import type { AppConfig } from '../app/app-parts.ts'
import { describeApi } from '../app/openapi/describe.ts'
import type { HostingConfig } from '../config/hosting.ts'
import type { OpenDatabase } from '../database/open.ts'
import { noCertificate } from '../hosting/domains/state.ts'
import { createManualClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { createResponseCheck } from './response-check.ts'

export interface CallOptions {
  /** The key to send; null for none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged. */
  readonly rawBody?: BodyInit
}

export interface CallResult {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body, if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the content of the body
  readonly json: any
}

/** The start time of the clock: 10:15 UTC, when neither an hour nor a day is about to end. */
export const testStart = Date.UTC(2026, 10, 20, 10, 15)

let checkResponse: ReturnType<typeof createResponseCheck> | undefined

/** Hosting as tests need it: no port and no resolver of this machine is used. */
export const testHosting: HostingConfig = {
  platformDomain: 'stores.example',
  sitesDomain: 'stores.example',
  publicHost: '127.0.0.1',
  httpPort: 0,
  httpsPort: 0,
  publicAddresses: ['192.0.2.10', '2001:db8::10'],
  dnsResolvers: [],
  allowPrivateAddresses: true,
  acmeDirectory: 'https://ca.example/directory',
  caaIdentities: ['ca.example'],
}

/** `hosting: testHosting` turns hosting on. */
export async function openTestStore(config: Partial<AppConfig> = {}, plan: Plan = 'business', database?: OpenDatabase) {
  const clock = createManualClock(testStart)
  const app = createApp(
    {
      environment: 'production',
      databasePath: ':memory:',
      corsOrigins: [],
      trustedProxies: [],
      passwordMemoryKib: 64,
      givesWay: false,
      certificateOf: () => noCertificate,
      ...config,
    },
    clock,
    silentLog,
    database,
  )
  const key = (await issueFirstKey(app, { plan })) ?? ''
  const servers = { url: 'https://shop.example/v1', otherUrl: 'https://staging.shop.example/v1' }
  checkResponse ??= createResponseCheck(await describeApi(app.api.routes, { running: 'production', ...servers }))

  async function call(method: string, path: string, options: CallOptions = {}): Promise<CallResult> {
    const { key: callKey = key, headers = {}, body, rawBody } = options
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(callKey === null ? {} : { Authorization: `Bearer ${callKey}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(rawBody === undefined ? {} : { body: rawBody }),
    })
    const response = await app.api.fetch(request)
    const text = isEventStream(response) ? await beginningOf(response) : await response.text()
    const url = new URL(request.url)
    checkResponse?.({ method, path: url.pathname, status: response.status, headers: response.headers, text })
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }

  /** Issues another key, for a new account. */
  function newKey(settings: { plan?: Plan; scopes?: readonly Scope[]; expiresAt?: number } = {}): Promise<IssuedKey> {
    const { plan: keyPlan = 'business', scopes = defaultScopes, expiresAt } = settings
    const custom = keyPlan === 'enterprise' ? { perMinute: 1_000_000, perDay: 1_000_000 } : {}
    const newKeySettings: NewKey = {
      name: 'Partner',
      account: { name: 'Partner', plan: keyPlan, custom },
      scopes,
      expiresAt,
    }
    return app.writer.write(() => issueKey(app, newKeySettings, { actor: 'system', nowMs: clock.now() }))
  }

  return { app, clock, key, call, newKey, close: () => app.close() }
}
const isEventStream = ({ headers }: Response) => headers.get('content-type') === 'text/event-stream'

/** The first message of a stream, which ends then. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value)
}

export type TestStore = Awaited<ReturnType<typeof openTestStore>>
