/** Starts the server of a store: its listener, and the sites that the listener serves. */

import type { App } from '../app-parts.ts'
import type { AssetHandler } from '../assets/serve.ts'
import { describeApi } from '../openapi/describe.ts'
import { type GivenServers, serversOf } from '../openapi/servers.ts'
import { createListener, type Listener, type Site } from './listener.ts'
import { createPlatform } from './platform.ts'
import { createRequestLog } from './request-log.ts'

export interface ServerOptions {
  readonly hostname: string
  readonly port: number
  /** The base addresses in the OpenAPI document, where they differ from this listener's own. */
  readonly servers: GivenServers
  /** Serves the web pages. */
  readonly pages: AssetHandler
}

/** Throws what `Bun.serve` throws if it cannot listen there. */
export function startServer(
  app: App & { readonly api: { readonly fetch: Site } },
  { hostname, port, servers, pages }: ServerOptions,
): Listener {
  const { log, clock, environment } = app
  const describe = () => describeApi(serversOf(servers, { running: environment, hostname, port: listener.port }))
  const platform = createPlatform({ app, pages, describe })
  // This listener belongs to the operator: it serves the platform whatever host a request names.
  const listener = createListener({
    hostname,
    port,
    siteOf: () => platform,
    log,
    clock,
    observe: createRequestLog(app),
  })
  return listener
}
