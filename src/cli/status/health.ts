/** `petstore health`: whether a server is alive, for the health check of a container. */

import { serveConfig } from '../../config/config.ts'
import { addressOptions } from '../../config/serve-options.ts'
import { UsageError } from '../../config/values.ts'
import { AppError } from '../../lib/error.ts'
import { systemReason } from '../../lib/system-error.ts'
import type { Command, Invocation } from '../command.ts'
import { print } from '../terminal/output.ts'

/** How long it waits for the response, in milliseconds. */
const timeoutMs = 4_000

/** Where a server that listens on every address is reached on its own machine. */
const loopback: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

const { host: hostOption, port: portOption } = addressOptions

export const health: Command = {
  name: 'health',
  isLocal: true,
  hasNoStore: true,
  summary: 'check whether the server of this machine is alive',
  details:
    'It asks /healthz at the address and port that the server was started with, and exits with 1 if the server does not answer within four seconds. A full disk is no reason to restart a server: /readyz reports it.',
  options: {
    host: { ...hostOption, help: 'the address that the server listens on' },
    port: { ...portOption, help: 'the port that the server listens on' },
  },
  examples: ['health', 'health --port 9000'],
  async run({ values, terminal }: Invocation) {
    const { host, port } = serveConfig(values)
    if (port === 0) throw new UsageError('--port must be the port that the server has, not 0.')
    const reachable = loopback.get(host) ?? host
    const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/healthz`
    await ask(url)
    print({ values, terminal }, { alive: true, url }, `petstore is alive: ${url}`)
    return 0
  },
}

async function ask(url: string): Promise<void> {
  const failure = (reason: string, cause?: unknown) =>
    new AppError('not_found', `No petstore is alive at ${url}: ${reason}. Check --host and --port.`, { cause })
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), proxy: false, redirect: 'manual' }).catch(
    (cause) => {
      const isLate = cause instanceof Error && cause.name === 'TimeoutError'
      throw failure(isLate ? `it did not answer within ${timeoutMs / 1_000} seconds` : systemReason(cause), cause)
    },
  )
  const text = await response.text().catch(() => '')
  if (text !== '{"status":"alive"}') throw failure('another program answers there')
}
