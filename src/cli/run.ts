/** Runs a command line: finds the command, reads its options, prints an error in one line. Returns the exit code. */

import { storeConfig } from '../config/config.ts'
import { commonOptions, remoteOptions } from '../config/options.ts'
import { type EnvironmentVariables, readOptions, variableOf } from '../config/read.ts'
import { didYouMean, UsageError } from '../config/values.ts'
import { printable } from '../lib/log.ts'
import { describeStore, isWithoutStore, withStorePlace } from './client/local.ts'
import { remoteStore } from './client/remote.ts'
import type { Command, Invocation, Terminal } from './command.ts'
import { commands } from './commands.ts'
import { complete } from './completion/completion.ts'
import { explain } from './explain.ts'
import { describeCommands, helpText, overview } from './help.ts'

/** Runs `petstore` with `args`; resolves to the exit code: 0 for success, 1 for failure, 2 for wrong usage. */
export async function run(
  args: readonly string[],
  variables: EnvironmentVariables,
  terminal: Terminal,
): Promise<number> {
  const found = findCommand(args)
  try {
    if (args[0] === '__complete') return suggest(args.slice(1), terminal)
    if (!found) return await help(args, terminal)
    const { command, rest } = found
    if (rest.includes('--help') || rest.includes('-h')) return help(['help', ...args.filter(isNoHelp)], terminal)
    const { values: given, positionals } = read(command, rest, variables)
    checkArity(command, positionals)
    const say = (line: string) => terminal.err(`petstore: ${printable(line)}\n`)
    const values = command.hasNoStore === true ? given : withStorePlace(given, say)
    const remote = command.isLocal ? undefined : remoteStore(values, variables)
    return await execute(command, { values, positionals, terminal, variables, remote })
  } catch (error) {
    return explain(withVariables(error, found?.rest ?? [], variables), terminal, found?.command.name)
  }
}

/** Prints the words for the completions of a shell. Not a command for people, either. */
function suggest(words: readonly string[], terminal: Terminal): number {
  for (const line of complete(commands, words)) terminal.out(`${line}\n`)
  return 0
}

function read(command: Command, args: readonly string[], variables: EnvironmentVariables) {
  const { isLocal = false } = command
  const of = isLocal ? { ...variables, [variableOf('url')]: undefined } : variables
  const line = readOptions({ ...commonOptions, ...remoteOptions, ...command.options }, args, of)
  if (!isLocal || line.values['url'] === undefined) return line
  throw new UsageError(
    `petstore ${command.name} works on this machine alone: leave out --url, and run it where the store is.`,
  )
}

/** Runs a command, then prints the path of a store that it created, or changed unless that is the default store. */
async function execute(command: Command, invocation: Invocation): Promise<number> {
  const { terminal, values, remote } = invocation
  if (remote || command.changesStore !== true) return await command.run(invocation)
  const config = storeConfig(values)
  const isNew = isWithoutStore(config)
  const code = await command.run(invocation)
  const line = code === 0 ? describeStore(config, isNew) : undefined
  if (line !== undefined) (values['json'] === true ? terminal.err : terminal.out)(`${printable(line)}\n`)
  return code
}

/** A usage error about options that come from variables names these too: the command line does not have the options. */
function withVariables(error: unknown, args: readonly string[], variables: EnvironmentVariables): unknown {
  if (!(error instanceof UsageError)) return error
  const named = new Set([...error.message.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name))
  const isGiven = (name: string) => args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
  const set = [...named].filter((name) => !isGiven(name) && variables[variableOf(name)]).map(variableOf)
  if (set.length === 0) return error
  return new UsageError(`${error.message} ${set.join(' and ')} ${set.length === 1 ? 'is' : 'are'} set.`)
}

function findCommand(args: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  for (const words of [3, 2, 1]) {
    const name = args.slice(0, words).join(' ')
    const command = commands.find((candidate) => candidate.name === name)
    if (command) return { command, rest: args.slice(words) }
  }
  return undefined
}

function help(args: readonly string[], terminal: Terminal): number | Promise<number> {
  const words = args.filter((word) => word !== '--json')
  const [first = 'help'] = words
  const topic = words.filter(isNoHelp)
  if (first === '--version' || first === '-v') return run(['version', ...args.slice(1)], {}, terminal)
  const isOfGroup = topic.length < words.length && groupOf(topic).length > 0
  if (isHelp(first) || isOfGroup) return printHelp(topic, args.includes('--json'), terminal)
  throw new UsageError(unknownCommand(args))
}

function printHelp(topic: readonly string[], isJson: boolean, terminal: Terminal): number {
  const found = findCommand(topic)?.command
  const listed = found ? [found] : groupOf(topic)
  if (listed.length === 0) throw new UsageError(unknownCommand(topic))
  if (isJson) terminal.out(`${JSON.stringify(describeCommands(listed))}\n`)
  else terminal.out(found ? helpText(found) : overview(listed))
  return 0
}

function isHelp(word: string): boolean {
  return word === 'help' || word === '--help' || word === '-h'
}

function isNoHelp(word: string): boolean {
  return !isHelp(word)
}

/** The commands of a group such as `keys` or `pets photos`, whose names begin with these words. */
function groupOf(words: readonly string[]): readonly Command[] {
  return commands.filter((command) => command.name.startsWith(words.map((word) => `${word} `).join('')))
}

function unknownCommand(args: readonly string[]): string {
  const [first = ''] = args
  if (first.startsWith('-')) return 'Options follow the command: petstore COMMAND [OPTIONS]. See: petstore help'
  const option = args.findIndex((word) => word.startsWith('-'))
  const words = option === -1 ? args : args.slice(0, option)
  const groupWords = [2, 1].map((count) => words.slice(0, count)).find((group) => groupOf(group).length > 0) ?? []
  const group = groupWords.join(' ')
  const advice = `See: petstore help ${group}`.trimEnd()
  if (words.length === groupWords.length) {
    const names = groupOf(words).map(({ name }) => name)
    return `"${group}" needs one of: ${names.join(', ')}. ${advice}`
  }
  const names = commands.flatMap(({ name }) => [name, ...groupsOf(name)])
  const counts = [3, 2, 1].filter((count) => count > groupWords.length)
  const suggestions = counts.map((count) => didYouMean(words.slice(0, count).join(' '), names, 'petstore '))
  const given = words.slice(0, Math.max(2, groupWords.length + 1)).join(' ')
  return `There is no command "${given}".${suggestions.find((text) => text !== '') ?? ''} ${advice}`
}

/** The groups of a command: `pets` and `pets photos` for `pets photos add`. */
function groupsOf(name: string): string[] {
  const words = name.split(' ')
  return words.slice(1).map((_, i) => words.slice(0, i + 1).join(' '))
}

function checkArity({ name, arity = [0, 0], operands = '' }: Command, positionals: readonly string[]): void {
  const [least, most] = arity
  const extra = positionals[most]
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many.`)
  if (positionals.length < least) throw new UsageError(`An argument is missing: petstore ${name} ${operands}.`)
  // An unset shell variable, as in `backup verify "$FILE"`.
  if (positionals.includes('')) throw new UsageError(`An argument is empty: petstore ${name} ${operands}.`)
}
