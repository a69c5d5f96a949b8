/**
 * `petstore openapi`: prints the document that a server with the same options serves. Needs neither server nor store.
 */

import { createApp } from '../app/app.ts'
import { describeApi } from '../app/openapi/describe.ts'
import { serversOf } from '../app/openapi/servers.ts'
import { type ServeConfig, serveConfig } from '../config/config.ts'
import { hostingOptions } from '../config/hosting-options.ts'
import { addressOptions } from '../config/serve-options.ts'
import { systemClock } from '../lib/clock.ts'
import { defaultPorts } from '../lib/environment.ts'
import { silentLog } from '../lib/log.ts'
import type { Command } from './command.ts'

export const openapi: Command = {
  name: 'openapi',
  isLocal: true,
  hasNoStore: true,
  summary: 'print the OpenAPI document',
  details: 'A server with the same options serves this document at /openapi.json. No store is needed.',
  options: { ...addressOptions, 'platform-domain': hostingOptions['platform-domain'] },
  examples: ['openapi > openapi.json', 'openapi --base-url https://shop.example/v1'],
  async run({ values, terminal }) {
    terminal.out(await writeDescription(serveConfig(values)))
    return 0
  },
}

/** The OpenAPI document of a server with these options. */
export async function writeDescription(config: ServeConfig): Promise<string> {
  const { environment, host, port, baseUrl, stagingBaseUrl } = config
  const servers = serversOf(
    { production: baseUrl, staging: stagingBaseUrl },
    { running: environment, hostname: host, port: port || defaultPorts[environment] },
  )
  // The routes are those of a store in memory.
  const store = { environment, databasePath: ':memory:', corsOrigins: [], trustedProxies: [], isCommand: true }
  const app = createApp(store, systemClock, silentLog)
  try {
    return await describeApi(app.api.routes, servers)
  } finally {
    await app.close()
  }
}
