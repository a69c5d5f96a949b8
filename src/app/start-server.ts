/** Starts the server of a store: the listener of `--port`, which serves the platform. */

import type { Site } from '../api/host.ts'
import { respondWithAsset } from '../hosting/webshop/respond.ts'
import type { ServicePort } from '../operate/doctor/machine.ts'
import { createCollector, type MeasuredParts, type ProcessUsage } from '../operate/metrics/collect.ts'
import { createOperatorApi, type OperatorParts } from '../operate/metrics/routes.ts'
import { createDashboardSite } from '../owner/site.ts'
import type { AssetHandler } from '../server/assets/serve.ts'
import type { HandlerParts } from '../server/handle.ts'
import { createListener, type Listener } from '../server/listener.ts'
import { createPlatform, type PlatformOptions } from '../server/platform.ts'
import { createRequestLog } from '../server/request-log.ts'
import type { PhotoResponder } from '../shop/photos/serve.ts'
import type { Api } from './api.ts'
import { describeApi } from './openapi/describe.ts'
import { type GivenServers, serversOf } from './openapi/servers.ts'

export interface ServerOptions {
  readonly hostname: string
  readonly port: number
  /** The base addresses in the OpenAPI document, where they differ from this listener's own. */
  readonly servers: GivenServers
  /** Serves the web pages. */
  readonly pages: AssetHandler
  readonly processUsage?: () => ProcessUsage
}

export interface RunningServer extends Listener {
  /** The API and its pages, for further listeners. */
  readonly platform: Site
  readonly handler: HandlerParts
}

export type ServerParts = MeasuredParts &
  Pick<PlatformOptions, 'readiness'> &
  Parameters<typeof createDashboardSite>[0] &
  OperatorParts & {
    readonly photoResponder: PhotoResponder
    readonly api: PlatformOptions['api'] & Pick<Api, 'routes'>
    /** Set when the listener runs. */
    readonly listening: { address: string | null; url: string | null; ports: readonly ServicePort[] }
  }

/**
 * The API with its pages, and the handler that their listeners share. `port` returns the port of the listener, for the
 * description of the API, which is composed at its first request.
 */
export function createServed(
  app: ServerParts,
  { hostname, servers, pages, processUsage }: ServerOptions,
  port: () => number,
): Pick<RunningServer, 'platform' | 'handler'> {
  const { log, clock, environment } = app
  const collect = createCollector(app, processUsage)
  // Created at its first request, because it would delay every start.
  let operatorApi: ReturnType<typeof createOperatorApi> | undefined
  const operator: Site = (request) => {
    operatorApi ??= createOperatorApi(app, collect)
    return operatorApi.fetch(request)
  }
  const { api, readiness } = app
  const describe = () => describeApi(api.routes, serversOf(servers, { running: environment, hostname, port: port() }))
  const dashboard = createDashboardSite(app)
  const shopFiles: PlatformOptions['shopFiles'] = (request) => app.photoResponder(request) ?? respondWithAsset(request)
  const platform = createPlatform({ api, dashboard, readiness, pages, describe, operator, shopFiles })
  const writeRequestLog = createRequestLog(app)
  const handler: HandlerParts = {
    log,
    clock,
    observe(request, context, status) {
      app.requestMetrics.observe(context, status)
      writeRequestLog?.(request, context, status)
    },
  }
  return { platform, handler }
}

/** Starts the listener. Throws the error of `Bun.serve` if it cannot listen on the address. */
export function startServer(app: ServerParts, options: ServerOptions): RunningServer {
  const { hostname, port } = options
  const { platform, handler } = createServed(app, options, () => listener.port)
  // This listener belongs to the operator: it serves the platform for every Host.
  const listener = createListener({ ...handler, hostname, port, respond: platform })
  app.listening.address = addressOf(app, options, listener.port)
  app.listening.url = listener.url
  app.listening.ports = [{ host: hostname, port: listener.port, use: 'API' }]
  return { ...listener, platform, handler }
}

/** The public address of the API without `/v1`. */
export function addressOf(
  { environment }: Pick<ServerParts, 'environment'>,
  { servers, hostname }: Pick<ServerOptions, 'servers' | 'hostname'>,
  port: number,
): string {
  const { url } = serversOf(servers, { running: environment, hostname, port })
  return url.replace(/\/v1$/, '')
}
