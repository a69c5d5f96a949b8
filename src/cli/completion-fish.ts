/** Completions for fish. */

import type { OptionSpec } from '../config/options.ts'
import type { Command } from './command.ts'
import { firstWords, optionsOf, type Word } from './completion-words.ts'

export function fishCompletion(commands: readonly Command[]): string {
  const words = firstWords(commands)
  const lines = [
    ...wordLines([], words),
    ...commands.flatMap((command) => [
      ...optionsOf(command).map(([name, spec]) => optionLine(command, name, spec)),
      ...operandLines(command),
    ]),
  ]
  return `# Completions of petstore for fish: petstore completion fish | source
function __petstore_after --description 'Whether these words, and no others, are before the cursor'
  set -l words (commandline -opc)
  set -e words[1]
  test "$words" = "$argv"
end
function __petstore_runs --description 'Whether the command line begins with these words'
  set -l words (commandline -opc)
  set -e words[1]
  test (count $words) -ge (count $argv); or return 1
  set -l first $words[1..(count $argv)]
  test "$first" = "$argv"
end
complete -c petstore -f
${lines.map((line) => `complete -c petstore ${line}\n`).join('')}`
}

/** A line for each word that may follow the words `before`, and for those that follow it. */
function wordLines(before: readonly string[], words: readonly Word[]): string[] {
  const condition = quoted(['__petstore_after', ...before].join(' '))
  return words.flatMap(({ word, summary, next }) => [
    `-n ${condition} -a ${word} -d ${quoted(summary)}`,
    ...wordLines([...before, word], next),
  ])
}

function optionLine({ name: command }: Command, name: string, { type, help, choices, commas, path }: OptionSpec) {
  const option = `-n ${quoted(`__petstore_runs ${command}`)} -l ${name} -d ${quoted(help)}`
  if (type === 'boolean') return option
  if (path === 'file') return `${option} -r -F`
  if (path === 'directory') return `${option} -x -a '(__fish_complete_directories)'`
  if (!choices) return `${option} -x`
  const words = choices.join(' ')
  return `${option} -x -a ${quoted(commas ? `(__fish_append , ${words})` : words)}`
}

function operandLines({ name, completes }: Command): string[] {
  if (completes === undefined) return []
  const condition = `-n ${quoted(`__petstore_runs ${name}`)}`
  if (completes === 'file') return [`${condition} -F`]
  if (completes === 'directory') return [`${condition} -a '(__fish_complete_directories)'`]
  return [`${condition} -a ${quoted(completes.join(' '))}`]
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
