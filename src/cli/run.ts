/** From a command line to an exit code: finds the command, reads its options, turns what it throws into a line. */

import { commonOptions, type EnvironmentVariables, readOptions, UsageError } from '../config.ts'
import { AppError, messageOf } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import type { Command, Terminal } from './command.ts'
import { commands } from './commands.ts'
import { helpText } from './help.ts'

/** Runs `petstore` with `args`; resolves to 0 done, 1 failed, 2 wrong usage. */
export async function run(
  args: readonly string[],
  variables: EnvironmentVariables,
  terminal: Terminal,
): Promise<number> {
  try {
    const found = findCommand(args)
    if (!found) return help(args, terminal)
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

function help(args: readonly string[], terminal: Terminal): number {
  const [first, ...rest] = args
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    const found = rest.length > 0 ? findCommand(rest) : undefined
    if (rest.length > 0 && !found) throw new UsageError(unknown(rest))
    terminal.out(helpText(found?.command))
    return 0
  }
  throw new UsageError(unknown(args))
}

function unknown(args: readonly string[]): string {
  const [first = ''] = args
  const group = commands.filter((command) => command.name.startsWith(`${first} `)).map((command) => command.name)
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
