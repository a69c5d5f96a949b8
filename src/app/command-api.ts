/**
 * The operations for commands: the API, and below `/command` the operations that only commands may use. They are served
 * over the socket of the store and within the process of a command, never by a listener.
 */

import type { OwnerStores } from '../access/owner/sessions.ts'
import { createSetupToken, deleteSetupToken, resetOwner } from '../access/owner/set-up.ts'
import { errorResponse } from '../api/errors.ts'
import type { Site } from '../api/host.ts'
import { pathOf } from '../api/target.ts'
import type { Writer } from '../database/writer.ts'
import type { Clock } from '../lib/clock.ts'
import type { ContentStore } from '../lib/contents/store.ts'
import { defaultPorts, type Environment } from '../lib/environment.ts'
import { AppError } from '../lib/error.ts'
import { type AddedDemo, addDemo, assertEmpty, type DemoStores } from '../shop/demo/add.ts'
import { addDrawings } from '../shop/demo/photos.ts'

export interface CommandApiParts extends OwnerStores, Omit<DemoStores, keyof OwnerStores> {
  readonly api: { readonly fetch: Site }
  readonly writer: Pick<Writer, 'write'>
  readonly files: Pick<ContentStore, 'begin'>
  readonly clock: Pick<Clock, 'now'>
  readonly environment: Environment
  readonly listening: { readonly url: string | null }
}

/**
 * A link to set up the dashboard. A command creates and prints it before it removes an owner, so that no store is left
 * without an owner and without a link.
 */
export interface SetupLink {
  readonly dashboardUrl: string
  /** The address of the listener; null where no server runs. */
  readonly listenerUrl: string | null
  readonly token: string
}

/** Serves `/v1` and `/command`; every request must come from a command. */
export function createCommandApi(app: CommandApiParts): Site {
  const { api, owner, writer, files, clock, environment, listening } = app

  const operations: Readonly<Record<string, (token: string) => Promise<SetupLink | AddedDemo | undefined>>> = {
    async 'POST /command/setup-links'() {
      const token = await writer.write(() => createSetupToken(app, clock.now()))
      const dashboardUrl =
        owner.installation().dashboardUrl ?? `http://127.0.0.1:${defaultPorts[environment]}/dashboard`
      return { dashboardUrl, listenerUrl: listening.url, token }
    },
    async 'DELETE /command/setup-links'(token) {
      await writer.write(() => deleteSetupToken(app, token))
      return undefined
    },
    /** Removes the owner. The link with the token remains valid. */
    async 'DELETE /command/owner'(token) {
      await writer.write(() => resetOwner(app, { actor: 'command', nowMs: clock.now() }, token))
      return undefined
    },
    async 'POST /command/demo'() {
      assertEmpty(app)
      const batch = files.begin()
      try {
        const photos = await addDrawings(batch)
        return await writer.write(() => addDemo(app, photos, clock.now()))
      } finally {
        await batch.close()
      }
    },
  }

  async function perform(request: Request): Promise<Response> {
    const operation = operations[`${request.method} ${pathOf(request.url)}`]
    if (operation === undefined) return errorResponse(request, 'not_found', 'There is no such command here.', {})
    try {
      const { token = '' } = request.body === null ? {} : ((await request.json()) as { token?: string })
      const result = await operation(token)
      return result === undefined ? new Response(null, { status: 204 }) : Response.json(result)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return errorResponse(request, error.code, error.message, {})
    }
  }

  return (request) => (pathOf(request.url).startsWith('/command/') ? perform(request) : api.fetch(request))
}
