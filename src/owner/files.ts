/**
 * Downloads that a browser saves. A browser can't send a bearer token with a download, so these routes take the cookie
 * and pass the request on to the API with a token that is valid for this request alone.
 */

import type { AccountStore } from '../access/accounts/store.ts'
import { storeAccount } from '../access/accounts/store-account.ts'
import type { AuditStore } from '../access/audit/store.ts'
import type { DashboardTokens } from '../access/owner/credentials/tokens.ts'
import { sessionEnd } from '../access/owner/rules.ts'
import type { OwnerStore, SessionRow } from '../access/owner/store.ts'
import { attachContext, contextOf, type RequestContext } from '../api/context.ts'
import type { Writer } from '../database/writer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export type Fetch = (request: Request) => Response | Promise<Response>

export interface DownloadParts {
  readonly owner: OwnerStore
  readonly accounts: AccountStore
  readonly audit: AuditStore
  readonly writer: Writer
  readonly clock: Clock
  readonly dashboardTokens: DashboardTokens
  readonly log: Log
}

interface SignedRequest {
  readonly request: Request
  readonly session: SessionRow
}

/** An operation of the API that sends a file. */
export interface Download {
  /** Below `/v1`, with the query. */
  readonly path: string
  /** An entry for the audit log, if the API does not record the download itself. */
  readonly entry?: { readonly action: string; readonly details: Readonly<Record<string, unknown>> }
}

/** Headers that select a representation, or are logged. */
const forwardedHeaders = ['if-none-match', 'user-agent']

/** Headers of the API that describe the file; the others describe the key and its limits. */
const describing = ['content-disposition', 'content-length', 'content-type', 'etag', 'retry-after']

export function createDownloads(parts: DownloadParts, api: Fetch) {
  /** The response of the API to `path`, as the owner. */
  async function fetchAsOwner({ request, session }: SignedRequest, path: string): Promise<Response> {
    const ownAccountId = parts.owner.installation().accountId ?? 0
    const trade = { sessionId: session.id, sessionEndsAt: sessionEnd(session), ownAccountId }
    const { token } = parts.dashboardTokens.issue(trade)
    const headers = new Headers({ authorization: `Bearer ${token}` })
    for (const name of forwardedHeaders) {
      const value = request.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    const { method, signal } = request
    const forwarded = new Request(`http://localhost/v1${path}`, { method, headers, signal })
    const context = contextOf(request)
    if (context) attachContext(forwarded, contextFor(request, context))
    try {
      return await api(forwarded)
    } finally {
      parts.dashboardTokens.end(token)
    }
  }

  /**
   * The download does not wait for the entry: with a full disk, the owner must still be able to save the animals
   * elsewhere.
   */
  function addEntry({ action, details }: NonNullable<Download['entry']>): void {
    const context = { actor: 'owner', nowMs: parts.clock.now() } as const
    parts.writer
      .write(() => parts.audit.add(context, { action, accountId: storeAccount(parts, context).id, details }))
      .catch((error) =>
        parts.log.warn('the audit log has no entry of a download', { actor: 'owner', action, ...details, error }),
      )
  }

  return async (signed: SignedRequest, download: Download): Promise<Response> => {
    const response = await fetchAsOwner(signed, download.path)
    if (response.ok && signed.request.method === 'GET' && download.entry) addEntry(download.entry)
    const { headers } = response
    for (const name of [...headers.keys()]) if (!describing.includes(name)) headers.delete(name)
    for (const [name, value] of Object.entries(fileHeaders)) headers.set(name, value)
    return response
  }
}

export type Downloads = ReturnType<typeof createDownloads>

const fileHeaders = {
  'cache-control': 'no-store',
  // The content is never shown as a page of this origin.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** The context of the original request, because the server knows only the connection of that one. */
function contextFor(request: Request, context: RequestContext): RequestContext {
  const { peer } = context
  return {
    ...context,
    peer: {
      requestIP: () => peer.requestIP(request),
      timeout: (_, seconds) => peer.timeout?.(request, seconds),
    },
    operation: undefined,
  }
}
