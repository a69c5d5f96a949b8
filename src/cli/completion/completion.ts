/**
 * `petstore completion bash|zsh|fish`: completions for a shell, and `petstore __complete`, which they call: what may
 * follow on a command line. A line of its output is a word, with a tab and its description if it has one, or `:file` or
 * `:directory` where a path may follow.
 */

import { isFlag, type OptionSpec } from '../../config/options.ts'
import { UsageError } from '../../config/values.ts'
import { type Command, type Invocation, optionsOf } from '../command.ts'
import { print } from '../terminal/output.ts'
import bash from './petstore.bash' with { type: 'text' }
import fish from './petstore.fish' with { type: 'text' }
import zsh from './petstore.zsh' with { type: 'text' }

const scripts = { bash, zsh, fish }
const shells = Object.keys(scripts) as (keyof typeof scripts)[]

export const completion: Command = {
  name: 'completion',
  isLocal: true,
  hasNoStore: true,
  summary: 'print completions for bash, zsh or fish',
  details:
    'To use them in the current shell: eval "$(petstore completion bash)", eval "$(petstore completion zsh)", or petstore completion fish | source.',
  operands: shells.join('|'),
  arity: [1, 1],
  completes: shells,
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/petstore',
    'completion zsh > ~/.zfunc/_petstore',
    'completion fish > ~/.config/fish/completions/petstore.fish',
  ],
  run({ values, positionals: [given = ''], terminal }: Invocation) {
    const shell = shells.find((name) => name === given)
    if (!shell) throw new UsageError(`There are completions for ${shells.join(', ')}, not for "${given}".`)
    const script = scripts[shell]
    print({ values, terminal }, { shell, script }, script)
    return 0
  },
}

/** `words` are those after `petstore`; the last one is at the cursor. The shell drops what does not begin with it. */
export function complete(commands: readonly Command[], words: readonly string[]): string[] {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const isHelp = before[0] === 'help'
  const command = commands.find(({ name }) => `${before.join(' ')} `.startsWith(`${name} `))
  return command && !isHelp
    ? wordsOf(command, before, current)
    : [
        ...commandWords(commands, isHelp ? before.slice(1) : before),
        ...(before.length === 0 ? ['help\tprint the commands, or the options of one'] : []),
      ]
}

/** The words that continue the name of a command. That of a group is described by the words that follow it. */
function commandWords(commands: readonly Command[], before: readonly string[]): string[] {
  const prefix = before.map((word) => `${word} `).join('')
  const names = commands.filter(({ name }) => name.startsWith(prefix))
  const groups = Map.groupBy(names, ({ name }) => name.split(' ')[before.length] ?? '')
  return [...groups].map(([word, members]) => {
    const next = members.map(({ name, summary }) => name.slice(`${prefix}${word} `.length) || summary)
    return `${word}\t${next.join(', ')}`
  })
}

/** What may follow the words `before`, which begin with the name of the command. */
function wordsOf(command: Command, before: readonly string[], current: string): string[] {
  const options = optionsOf(command)
  const [prefix, given] = /^(--[^=]+)=/.exec(current) ?? ['', before.at(-1)]
  const [, spec] = options.find(([name]) => `--${name}` === given) ?? []
  if (spec && !isFlag(spec)) return valuesOf(spec, prefix, current.slice(prefix.length))
  const { completes } = command
  if (completes === undefined || current.startsWith('-')) {
    const isOpen = ([name, { multiple }]: readonly [string, OptionSpec]) => multiple || !before.includes(`--${name}`)
    return options.filter(isOpen).map(([name, { help }]) => `--${name}\t${help}`)
  }
  return typeof completes === 'string' ? [`:${completes}`] : [...completes]
}

function valuesOf({ choices = [], commas, path }: OptionSpec, prefix: string, value: string): string[] {
  if (path) return [`:${path}`]
  const listed = commas ? value.slice(0, value.lastIndexOf(',') + 1) : ''
  return choices.filter((choice) => !listed.split(',').includes(choice)).map((choice) => `${prefix}${listed}${choice}`)
}
