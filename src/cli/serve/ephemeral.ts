/** `petstore serve --ephemeral`: a store in memory for test suites, which tests control over `/test/…`. */

import { environmentOf, suggestedKey } from '../../access/keys/rules.ts'
import { plainBeginning, startEphemeralStore } from '../../app/ephemeral/start.ts'
import { type ServeConfig, serveConfig } from '../../config/config.ts'
import { type OptionValues, UsageError } from '../../config/values.ts'
import type { Terminal } from '../command.ts'
import { openHosting } from './hosting.ts'
import { orExplain, serverOptions } from './listen.ts'
import { hangUpCode, serveLog, startText } from './message.ts'
import { makeSecrets, printStart } from './secrets.ts'

/** Returns the exit code. */
export async function serveEphemeral(values: OptionValues, terminal: Terminal): Promise<number> {
  const config = serveConfig(values)
  const { key, clock = 'running', exitsWithParent } = config.ephemeral ?? {}
  assertKey(key, config)
  const log = serveLog(config, terminal)
  const stopped = Promise.withResolvers<string>()
  terminal.onStop(stopped.resolve)
  const isWatching = exitsWithParent && terminal.onParentGone(() => stopped.resolve('parent'))
  const { self, executable } = terminal
  const store = await orExplain(config, () =>
    startEphemeralStore({
      config: { ...config, self, executable },
      server: serverOptions(config, terminal),
      log,
      key,
      beginning: { ...plainBeginning, clock },
    }),
  )
  const app = store.app()
  const hosting = await openHosting(config, app, store.server).catch(async (error: unknown) => {
    await store.stop()
    throw error
  })
  const secrets = await makeSecrets(app, config, store.server, terminal, store.key)
  const options = { values, reused: {}, dropped: {} }
  const message = startText(config, terminal.pid, { app, listener: store.server, hosting, secrets, options })
  await isWatching
  void printStart(terminal, app, config, secrets, message)
  const signal = await stopped.promise
  await hosting?.stop()
  await store.stop()
  return signal === 'SIGHUP' ? hangUpCode : 0
}

/** Throws `UsageError`, with a key that is near the given one. */
function assertKey(key: string | undefined, { environment }: ServeConfig): void {
  if (key === undefined || environmentOf(key) === environment) return
  throw new UsageError(
    `--key must have the form of a key of ${environment} with its checksum, such as ${suggestedKey(environment, key)}.`,
  )
}
