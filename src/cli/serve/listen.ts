/** The listener of `petstore serve`: opening it, and saying in one line why it can't be opened. */

import type { ServerOptions } from '../../app/start-server.ts'
import type { ServeConfig } from '../../config/config.ts'
import { AppError } from '../../lib/error.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'
import * as embedded from '../../server/assets/embedded.js'
import { createAssetHandler, createDashboardPage } from '../../server/assets/serve.ts'
import { tryPublicPorts } from '../../server/public-listeners.ts'
import type { Terminal } from '../command.ts'
import { explainedListenError } from './hosting.ts'

const docs = createAssetHandler('/docs', embedded.docs)
const dashboard = createDashboardPage('/dashboard/', embedded.dashboard)

/** What a server of this configuration is started with. */
export function serverOptions(config: ServeConfig, { usage }: Pick<Terminal, 'usage'>): ServerOptions {
  return {
    hostname: config.host,
    port: config.port,
    servers: { production: config.baseUrl, staging: config.stagingBaseUrl },
    pages: (request) => docs(request) ?? dashboard(request),
    processUsage: usage,
  }
}

/** Throws what a start with this configuration would throw if one of its ports can't be used. Nothing is left open. */
export async function tryPorts(config: ServeConfig): Promise<void> {
  const { host, port, hosting } = config
  const server = await orExplain(config, () => Bun.serve({ hostname: host, port, fetch: () => new Response() }))
  try {
    if (hosting) tryPublicPorts(hosting)
  } catch (error) {
    throw explainedListenError(error, server.port)
  } finally {
    await server.stop(true)
  }
}

/**
 * What `listen` returns. An error of `Bun.serve` becomes an `AppError` that says why it can't listen, and what to do.
 */
export async function orExplain<T>({ host, port }: ServeConfig, listen: () => T | Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    // Where a name can't be resolved, Bun reports whatever error the system had before.
    const code = (await isResolvable(host)) ? codeOf(cause) : 'ENOTFOUND'
    throw new AppError('conflict', `Can't listen on ${host}:${port}: ${reason(code, cause)}`, { cause })
  }
}

async function isResolvable(host: string): Promise<boolean> {
  // Loaded here, because few starts fail.
  const { lookup } = await import('node:dns/promises')
  return await lookup(host).then(
    () => true,
    () => false,
  )
}

function reason(code: unknown, cause: unknown): string {
  if (code === 'EADDRINUSE')
    return 'the port is in use. Stop the program that uses it, or choose another port with --port.'
  if (code === 'EACCES') return 'ports below 1024 need a privilege. Choose another port with --port.'
  if (code === 'EINVAL' || code === 'ENOTFOUND')
    return 'it is not an address of this machine. Choose another address with --host.'
  return `${systemReason(cause)}. Choose another with --host and --port.`
}
