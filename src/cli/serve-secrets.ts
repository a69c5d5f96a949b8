/** What a start of `serve` prints once: the first API key, if there is none yet, and the set-up link of the dashboard. */

import type { createApp } from '../app.ts'
import type { ServeConfig } from '../config/config.ts'
import { revokeKey } from '../keys/change.ts'
import { issueFirstKey } from '../keys/issue.ts'
import { sha256 } from '../keys/rules.ts'
import { systemClock } from '../lib/clock.ts'
import { messageOf } from '../lib/error.ts'
import type { Listener } from '../server/listener.ts'
import type { Terminal } from './command.ts'
import { printOnce } from './print-once.ts'
import { dashboardUrlOf, offerSetup } from './setup-link.ts'
import { shellWord } from './shell-words.ts'

type ServedApp = ReturnType<typeof createApp>

/** Secrets that a start prints once. */
export interface StartSecrets {
  readonly firstKey: string | undefined
  readonly dashboardUrl: string
  readonly setupToken: string | undefined
}

/** Makes the first key, unless nobody would see it, and the token of the set-up link. */
export async function makeSecrets(
  app: ServedApp,
  config: ServeConfig,
  listener: Listener,
  terminal: Terminal,
): Promise<StartSecrets> {
  const dashboardUrl = dashboardUrlOf(config, listener)
  const setupToken = await offerSetup(app, dashboardUrl)
  if (!terminal.isNull()) return { dashboardUrl, setupToken, firstKey: await issueFirstKey(app) }
  if (app.keys.isEmpty()) {
    app.log.warn(
      `there is no API key yet, and no first one was made, because the output is closed or /dev/null: ${howToGetKey(config)}`,
    )
  }
  return { dashboardUrl, setupToken, firstKey: undefined }
}

/** Commands don't reach a store in memory. */
function howToGetKey({ ephemeral }: ServeConfig): string {
  return ephemeral
    ? 'start it again with its output in a terminal, a pipe or a file'
    : 'issue one with petstore keys create'
}

/** Prints the start message. If it can't be written, the first key is revoked and the log says so. */
export async function printStart(
  terminal: Terminal,
  app: ServedApp,
  config: ServeConfig,
  { firstKey }: StartSecrets,
  text: string,
): Promise<void> {
  // Without a secret, a message that nobody sees is no reason to stop.
  if (firstKey === undefined) return terminal.deliver(text).catch(() => {})
  const id = app.keys.findBySha256(sha256(firstKey))?.id ?? 0
  const undo = () => app.writer.write(() => revokeKey(app, id, { actor: 'service', nowMs: systemClock.now() }))
  const undone = `The first API key was revoked: ${howToGetKey(config)}.`
  await printOnce(terminal, text, undo, undone).catch((error: unknown) => app.log.warn(messageOf(error)))
}

/** The lines of the start message that show the key. */
export function firstKeyLines(url: string, key: string): string[] {
  return [
    'Your first API key. It has every scope and is shown only this once:',
    '',
    `  ${key}`,
    '',
    'Try it:',
    '',
    `  curl -H 'Authorization: Bearer ${key}' ${shellWord(`${url}/v1/pets`)}`,
    '',
  ]
}
