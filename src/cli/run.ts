/** From a command line to an exit code: finds the command, reads its options, turns what it throws into a line. */

import { commonOptions, type EnvironmentVariables, readOptions, UsageError } from '../config.ts'
import { AppError, messageOf } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import type { Command, Terminal } from './command.ts'
import { commands } from './commands.ts'
import { helpText, overview } from './help.ts'

/** Runs `petstore` with `args`; resolves to 0 done, 1 failed, 2 wrong usage. */
export async function run(
  args: readonly string[],
  variables: EnvironmentVariables,
  terminal: Terminal,
): Promise<number> {
  try {
    const found = findCommand(args)
    if (!found) return await help(args, terminal)
    const { command, rest } = found
    if (rest.includes('--help') || rest.includes('-h')) {
      terminal.out(helpText(command))
      return 0
    }
    const { values, positionals } = readOptions({ ...commonOptions, ...command.options }, rest, variables)
    checkArity(command, positionals)
    return await command.run({ values, positionals, terminal, variables })
  } catch (error) {
    terminal.err(`petstore: ${printable(messageOf(error))}\n`)
    if (error instanceof UsageError) return 2
    if (!(error instanceof AppError) && error instanceof Error) terminal.err(`${error.stack}\n`)
    return 1
  }
}

function findCommand(args: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(' ')
    const command = commands.find((candidate) => candidate.name === name)
    if (command) return { command, rest: args.slice(words) }
  }
  return undefined
}

function help(args: readonly string[], terminal: Terminal): number | Promise<number> {
  const [first, ...rest] = args
  if (first === '--version' || first === '-v') return run(['version', ...rest], {}, terminal)
  if (first === undefined || isHelp(first)) {
    const [topic] = rest
    const found = findCommand(rest)
    const isKnown = topic === undefined || isHelp(topic) || groupOf(topic).length > 0
    if (!found && !isKnown) throw new UsageError(unknown(rest))
    terminal.out(found ? helpText(found.command) : overview(topic === undefined ? commands : groupOf(topic)))
    return 0
  }
  if (groupOf(first).length > 0 && rest.length > 0 && rest.every(isHelp)) return help(['help', first], terminal)
  throw new UsageError(unknown(args))
}

function isHelp(word: string): boolean {
  return word === 'help' || word === '--help' || word === '-h'
}

/** The commands that begin with a word, as `keys` does. */
function groupOf(word: string): readonly Command[] {
  return commands.filter((command) => command.name.startsWith(`${word} `))
}

function unknown(args: readonly string[]): string {
  const [first = ''] = args
  const group = groupOf(first).map((command) => command.name)
  if (group.length > 0) return `"${first}" needs one of: ${group.join(', ')}. See: petstore help`
  return `There is no command "${args.slice(0, 2).join(' ')}". See: petstore help`
}

function checkArity({ name, arity = [0, 0], operands = '' }: Command, positionals: readonly string[]): void {
  const [least, most] = arity
  if (positionals.length >= least && positionals.length <= most) return
  const extra = positionals[most]
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many. See: petstore help ${name}`)
  throw new UsageError(`Missing argument: petstore ${name} ${operands}`)
}
