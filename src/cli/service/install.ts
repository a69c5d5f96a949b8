/**
 * `petstore service install`: makes the service of this machine, or updates it. It names every file before it writes
 * it.
 */

import { mkdirSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import compose from '../../../compose.yaml' with { type: 'text' }
import { readStoreId } from '../../access/owner/store-id.ts'
import { type StoreConfig, storeConfig } from '../../config/config.ts'
import { text, UsageError } from '../../config/values.ts'
import { databasePath } from '../../database/environment.ts'
import { currentVersion, NewerSchema } from '../../database/migrate.ts'
import { environments } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { replaceFile } from '../../lib/replace-file.ts'
import { environmentOption, shellWord } from '../../lib/shell-words.ts'
import { assertNotLost, lostStoreAdvice, storeExists } from '../client/local.ts'
import type { Command, Invocation } from '../command.ts'
import { schemaOf } from '../upgrade/executable.ts'
import { assertRoot, assertSystemd, findService, type InstalledService, unitOf } from './installed.ts'
import { chooseOptions, serviceOptions, withoutSecrets } from './options.ts'
import { hasSystemd, logOfLastStart, replaceExecutable, runProgram, startService } from './systemd.ts'
import { assertOwnFiles, copyStore, giveStore, makeStore, withLock } from './take-over.ts'
import { assertDirectory, type Service, serviceOf, unitText } from './unit.ts'

export const serviceInstall: Command = {
  name: 'service install',
  isLocal: true,
  hasNoStore: true,
  summary: 'make petstore a service that starts with the machine, or update it',
  details:
    'It needs root and systemd. It takes the options of serve, and keeps them with the secrets in /etc/petstore.env, which only root can read. Without options, an existing service keeps its own. The data directory is /var/lib/petstore unless --data names another. Where ./data has a store and the service has none, it asks whether to copy that one. With --environment staging everything has the name petstore-staging.',
  options: {
    'dry-run': {
      help: 'show what it would do, and change nothing',
      default: 'off',
      hasVariable: false,
      excludes: ['json'],
    },
    'take-over': {
      help: 'copy the store of ./data without asking',
      default: 'off',
      hasVariable: false,
      excludes: ['new-store'],
    },
    'new-store': {
      help: 'start with an empty store without asking, although ./data has one',
      default: 'off',
      hasVariable: false,
    },
    ...serviceOptions,
  },
  examples: [
    'service install --dry-run',
    'service install --platform-domain pets.paws.example --acme-email you@paws.example',
    'service install --environment staging --port 8090',
  ],
  async run(invocation: Invocation) {
    const { values, terminal } = invocation
    const isDry = values['dry-run'] === true
    const plan = planOf(invocation)
    if (!isDry) assertRoot(terminal, 'service install')
    const say = values['json'] === true ? terminal.err : terminal.out
    say(`${planLines(plan).map(printable).join('\n')}\n`)
    if (isDry) {
      say(`\n${filesOf(plan)}`)
      return 0
    }
    const from = plan.found === 'offered' ? await askForStore(invocation, plan.offered) : undefined
    const storeId = await perform(plan, from)
    await startService(plan.service)
    await report(invocation, plan, from, storeId)
    return 0
  },
}

interface Plan {
  readonly service: Service
  /** The service that is updated; undefined for a new one. */
  readonly before: InstalledService | undefined
  /** The executable to copy; undefined if it is in its place. */
  readonly source: string | undefined
  /** Whether the service has its store, may copy the one of `./data`, or begins with a new one. */
  readonly found: 'kept' | 'offered' | 'new'
  /** The store in `./data`. */
  readonly offered: StoreConfig
  readonly options: string
  /** Options that the service no longer has. */
  readonly dropped: readonly string[]
}

/** Throws if the service can't be installed; nothing is changed. */
function planOf({ values, terminal: { executable, err } }: Invocation): Plan {
  const { environment } = storeConfig(values)
  const offered = storeConfig({ environment })
  const before = findService(environment)
  const data = text(values, 'data')
  const directory = data === undefined ? before?.dataDirectory : resolve(data)
  const service = serviceOf(environment, directory)
  assertDirectory(service.dataDirectory)
  const { text: options, dropped } = chooseOptions(service, values)
  if (!hasSystemd()) err(`${compose}\n`)
  assertSystemd()
  if (executable === undefined)
    throw new AppError('conflict', 'A service needs the compiled executable: build it, then run that.')
  assertPossible(service, before)
  const isOffered = () => values['new-store'] !== true && storeExists(offered)
  const found = storeExists(service) ? 'kept' : isOffered() ? 'offered' : 'new'
  if (before !== undefined && found !== 'kept') {
    throw new AppError(
      'not_found',
      `The store of the service is not in ${service.dataDirectory}: ${lostStoreAdvice(service)}`,
    )
  }
  if (before === undefined) assertOwnFiles(service.dataDirectory)
  if (found === 'kept' || (found === 'new' && values['new-store'] !== true)) assertNotLost(service)
  if (found !== 'new') assertSupported(found === 'kept' ? service : offered)
  return {
    service,
    before,
    source: isInPlace(executable, service.executable) ? undefined : executable,
    found,
    offered,
    options,
    dropped,
  }
}

function assertPossible(service: Service, before: InstalledService | undefined): void {
  const { name, environment, unitFile, dataDirectory } = service
  if (before === undefined && unitOf(environment) !== undefined) {
    throw new AppError(
      'conflict',
      `${unitFile} was not written by petstore: stop it (sudo systemctl disable --now ${name}), move it away, then run this again.`,
    )
  }
  if (before !== undefined && before.dataDirectory !== dataDirectory) {
    throw new UsageError(
      `The service ${name} has its store in ${before.dataDirectory}: uninstall it before you choose another --data.`,
    )
  }
  const others = environments.filter((one) => one !== environment).flatMap((one) => findService(one) ?? [])
  const other = others.find((one) => one.dataDirectory === dataDirectory)
  if (other) throw new UsageError(`${dataDirectory} is the data directory of ${other.name}: choose another --data.`)
}

/** Throws `NewerSchema` if this petstore is too old for the store: the service would not start with it. */
function assertSupported(store: StoreConfig): void {
  const version = schemaOf(databasePath(store))
  if (version > currentVersion) throw new NewerSchema(version, currentVersion)
}

function isInPlace(executable: string, place: string): boolean {
  try {
    return realpathSync(executable) === realpathSync(place)
  } catch {
    return false
  }
}

/** What will be done, with every file that is written. */
function planLines({ service, before, source, found, offered, dropped }: Plan): string[] {
  const { name, executable, dataDirectory, optionsFile, unitFile } = service
  const store = {
    kept: 'has the store',
    offered: `gets a copy of the store in ${offered.dataDirectory}, if you want that`,
    new: 'gets a new store',
  }
  return [
    `The service ${name} ${before === undefined ? 'is installed' : 'is updated'}:`,
    '',
    ...(source === undefined ? [] : [`  ${executable}  is written: a copy of ${source}`]),
    `  ${dataDirectory}  ${store[found]}; belongs to the user ${name}, which is created if needed`,
    `  ${optionsFile}  is written: the options and secrets, for root alone`,
    `  ${unitFile}  is written: the unit`,
    `  systemctl daemon-reload, enable and restart ${name}.service`,
    ...(dropped.length === 0
      ? []
      : ['', `Options that it loses, because they are not given now: ${dropped.join(', ')}.`]),
  ]
}

/** The content of the files, as `--dry-run` shows it. */
function filesOf({ service, before, options }: Plan): string {
  const unit = unitText(service, before?.storeId ?? 'ID-OF-THE-STORE')
  return [
    `--- ${service.optionsFile}\n`,
    printable(withoutSecrets(options)).replaceAll('\\u{a}', '\n'),
    `\n--- ${service.unitFile}\n`,
    unit,
  ].join('')
}

/** The store to copy; undefined if a new one is wanted. Throws `conflict` if there is no answer. */
async function askForStore({ values, terminal }: Invocation, offered: StoreConfig): Promise<StoreConfig | undefined> {
  if (values['take-over'] === true) return offered
  const question = `\nThere is a store in ${offered.dataDirectory}. Copy it into the service? [y/n] `
  const answer = (await terminal.ask(question)).trim().toLowerCase()
  if (answer === 'y' || answer === 'yes') return offered
  if (answer === 'n' || answer === 'no') return undefined
  throw new AppError(
    'conflict',
    `There is a store in ${offered.dataDirectory}. Add --take-over to copy it into the service, or --new-store to start with an empty one. Nothing was changed.`,
  )
}

/** Installs everything, without the start; can be repeated after an interruption. Returns the id of the store. */
async function perform(
  { service, before, source, found, options }: Plan,
  from: StoreConfig | undefined,
): Promise<string> {
  const { name, executable, dataDirectory, optionsFile, unitFile } = service
  await makeUser(service)
  await runProgram('install', '--directory', '--mode=700', `--owner=${name}`, `--group=${name}`, dataDirectory)
  if (from) await copyStore(from, service)
  else if (found !== 'kept') await makeStore(service)
  const give = () => giveStore(service, name)
  // The service that is updated may be running, as the same user.
  await (before === undefined ? withLock(service, give) : give())
  const storeId = readStoreId(databasePath(service))
  if (source !== undefined) {
    mkdirSync(dirname(executable), { recursive: true })
    replaceExecutable(source, executable)
  }
  replaceFile(optionsFile, options)
  replaceFile(unitFile, unitText(service, storeId), 0o644)
  await runProgram('systemctl', 'daemon-reload')
  await runProgram('systemctl', 'enable', '--quiet', `${name}.service`)
  return storeId
}

async function makeUser({ name, dataDirectory }: Service): Promise<void> {
  try {
    await runProgram('id', '--user', name)
  } catch {
    const home = ['--home-dir', dataDirectory, '--no-create-home']
    await runProgram('useradd', '--system', '--user-group', ...home, '--shell', '/usr/sbin/nologin', name)
  }
}

async function report({ values, terminal }: Invocation, plan: Plan, from: StoreConfig | undefined, storeId: string) {
  const { service, before, source, found } = plan
  const { name, dataDirectory: folder, executable, unitFile: unit, optionsFile, environment } = service
  if (values['json'] === true) {
    const store = from ? 'copied' : found === 'kept' ? 'kept' : 'new'
    const result = {
      service: name,
      folder,
      storeId,
      store,
      from: from?.dataDirectory ?? null,
      executable,
      unit,
      optionsFile,
    }
    terminal.out(`${JSON.stringify(result)}\n`)
    return
  }
  const option = environmentOption(environment)
  const started = await startMessage(service)
  const lines = [
    ...(started === '' ? [] : ['', started]),
    '',
    `The service ${name} runs, and starts with the machine. Its store is in ${folder}.`,
    ...(before && before.storeId !== storeId
      ? [`It is a different store than before: ${storeId}, not ${before.storeId}.`]
      : []),
    ...(from === undefined ? [] : copiedLines(from)),
    'Its state, its log, and how to restart it:',
    `  sudo petstore status${option}`,
    `  sudo journalctl -u ${name}`,
    `  sudo systemctl restart ${name}`,
    `Other commands need sudo, too: sudo petstore keys list${option}`,
    ...(source === undefined ? [] : [`The executable is ${executable} now; ${source} is no longer needed.`]),
  ]
  terminal.out(`${lines.map((line) => line.split('\n').map(printable).join('\n')).join('\n')}\n`)
}

function copiedLines({ dataDirectory: from }: StoreConfig): string[] {
  return [
    `It is a copy: the store in ${from} stays as it was. Commands that run in ${dirname(from)} use that one until you move it away:`,
    `  mv ${shellWord(from)} ${shellWord(`${from}-before-service`)}`,
  ]
}

/** What the start has printed, such as the set-up link, without the lines of the log. */
async function startMessage(service: Service): Promise<string> {
  const lines = (await logOfLastStart(service)).split('\n')
  return lines
    .filter((line) => !/^\d{4}-\d\d-\d\dT\S+Z /.test(line))
    .join('\n')
    .trim()
}
