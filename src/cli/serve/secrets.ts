/**
 * What a start of `serve` prints once: the first API key, if there is none yet, and the set-up link of the dashboard.
 */

import { findStoreAccount } from '../../access/accounts/store-account.ts'
import { revokeKey } from '../../access/keys/change.ts'
import { getKey, issueFirstKey } from '../../access/keys/issue.ts'
import { sha256 } from '../../access/keys/rules.ts'
import type { createApp } from '../../app/app.ts'
import type { ServeConfig } from '../../config/config.ts'
import { systemClock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/error.ts'
import { environmentOption, shellWord } from '../../lib/shell-words.ts'
import type { Listener } from '../../server/listener.ts'
import type { Terminal } from '../command.ts'
import { printOnce } from '../terminal/print-once.ts'
import { dashboardUrlOf, offerSetup } from './setup-link.ts'

type ServedApp = ReturnType<typeof createApp>

/** Secrets that a start prints once. */
export interface StartSecrets {
  readonly firstKey: string | undefined
  readonly dashboardUrl: string
  readonly setupToken: string | undefined
  /** Whether there is no key, because none may be printed here. */
  readonly isWithoutKey?: boolean
}

type StoreAccounts = Parameters<typeof findStoreAccount>[0]

/**
 * Makes the token of the set-up link, and the first key if it is printed on a terminal or in the line of `--json`.
 * Journals and the logs of containers keep what is printed, and a key would be there for years; the link works once,
 * for a short time.
 */
export async function makeSecrets(
  app: ServedApp,
  config: ServeConfig,
  listener: Listener,
  terminal: Terminal,
  /** The key of an ephemeral store, which exists already. */
  ephemeralKey?: string,
): Promise<StartSecrets> {
  const dashboardUrl = dashboardUrlOf(config, listener)
  const setupToken = await offerSetup(app, dashboardUrl)
  const isNull = terminal.isNull()
  if (!isNull && (config.json || terminal.outColumns !== undefined)) {
    return { dashboardUrl, setupToken, firstKey: ephemeralKey ?? (await issueFirstKey(app)) }
  }
  const isWithoutKey = config.ephemeral ? config.ephemeral.key === undefined : app.keys.isEmpty()
  if (isWithoutKey && isNull) app.log.warn(`there is no API key yet: ${howToGetKey(config, app)}`)
  return { dashboardUrl, setupToken, firstKey: undefined, isWithoutKey }
}

/** Commands don't reach a store in memory. */
function howToGetKey(config: ServeConfig, app: StoreAccounts): string {
  if (config.ephemeral) return 'start it with --json, and read the key from the line that it prints'
  return `issue one with ${keyCommand(config, app)}`
}

/** Issues what a first start would have: a key of the store's own account, with every scope. */
function keyCommand({ dataDirectory, environment, storeId }: ServeConfig, app: StoreAccounts): string {
  const id = findStoreAccount(app)?.id
  const account = id === undefined ? '--plan business' : `--account ${id}`
  const place = `--data ${shellWord(dataDirectory)}${environmentOption(environment)}`
  // The user of a service has no shell.
  const sudo = storeId === undefined ? '' : 'sudo '
  return `${sudo}petstore keys create --name Store ${account} --scope admin ${place}`
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
  const undo = () =>
    app.writer.write(() => revokeKey(app, getKey(app, id), { actor: 'system', nowMs: systemClock.now() }))
  const undone = `The first API key was revoked: ${howToGetKey(config, app)}.`
  await printOnce(terminal, text, undo, undone).catch((error: unknown) => app.log.warn(messageOf(error)))
}

/** The lines of the start message about the first key, or the lack of one. */
export function keyLines(config: ServeConfig, app: StoreAccounts, url: string, secrets: StartSecrets): string[] {
  if (secrets.firstKey !== undefined) return firstKeyLines(url, secrets.firstKey)
  if (secrets.isWithoutKey !== true) return []
  return config.ephemeral
    ? [`There is no API key: ${howToGetKey(config, app)}.`, '']
    : ['There is no API key yet. Issue one with:', '', `  ${keyCommand(config, app)}`, '']
}

function firstKeyLines(url: string, key: string): string[] {
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
