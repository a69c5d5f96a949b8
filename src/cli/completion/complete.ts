/**
 * `petstore __complete`, which the completions of the shells call: what may follow on a command line. A line of its
 * output is a word, with a tab and its description if it has one, or `:file` or `:directory` where a path may follow.
 */

import type { OptionSpec } from '../../config/options.ts'
import { type Command, optionsOf } from '../command.ts'

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
  if (spec && spec.type !== 'boolean') return valuesOf(spec, prefix, current.slice(prefix.length))
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
