/** `petstore help` and `--help`, generated from the table of commands. */

import type { OptionSpec, OptionSpecs } from '../config/options.ts'
import { variableOf } from '../config/read.ts'
import { type Command, optionsOf, sharedOptions } from './command.ts'
import { wrap } from './terminal/output.ts'

/** The maximum width of a line of help. */
const columns = 100

/** The help of a list of commands. */
export function overview(listed: readonly Command[]): string {
  const rows = listed.map((command) => [usageOf(command), command.summary] as const)
  return [
    'Usage: petstore COMMAND [OPTIONS]\n\nCommands:\n',
    twoColumns(rows),
    '\nOptions of every command:\n',
    twoColumns(optionRows(sharedOptions({}))),
    '\nThe options of one command, with examples: petstore help COMMAND\n',
  ].join('')
}

/** The help of one command. */
export function helpText(command: Command): string {
  const { options = {}, details, examples } = command
  const own = Object.keys(options).length > 0
  const shared = optionRows(sharedOptions(command))
  const all = [...optionRows(options), ...shared]
  return [
    `${sentence(command.summary)}\n`,
    ...(details === undefined ? [] : [`\n${wrap(details, columns).join('\n')}\n`]),
    `\nUsage: petstore ${usageOf(command)} [OPTIONS]\n`,
    own ? `\nOptions:\n${twoColumns(optionRows(options), leftWidth(all))}` : '',
    `\nOptions of every command:\n${twoColumns(shared, leftWidth(all))}`,
    `\nEach option is also an environment variable: --data is PETSTORE_DATA.${withoutVariable(options)}\n`,
    `\nExamples:\n${examples.map((example) => `  petstore ${example}\n`).join('')}`,
  ].join('')
}

/** The commands as data, for `petstore help --json`. */
export function describeCommands(listed: readonly Command[]) {
  return listed.map(({ name, summary, operands = '', options = {}, examples, isLocal = false }) => ({
    name,
    summary,
    operands,
    options: optionsOf({ options, isLocal }).map(([option, spec]) => ({
      name: `--${option}`,
      value: spec.value ?? null,
      help: spec.help,
      default: spec.default,
      choices: spec.choices ?? null,
      repeatable: spec.multiple ?? false,
    })),
    examples: examples.map((example) => `petstore ${example}`),
  }))
}

function withoutVariable(options: OptionSpecs): string {
  const names = Object.entries(options).flatMap(([name, { hasVariable }]) =>
    hasVariable === false ? [`--${name}`] : [],
  )
  return names.length === 0 ? '' : `\nOnly ${names.join(', ')} are not.`
}

function usageOf({ name, operands = '' }: Command): string {
  return `${name} ${operands}`.trim()
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

function optionRows(options: OptionSpecs): (readonly [string, string])[] {
  return Object.entries(options).map(([name, spec]) => {
    const left = spec.isVariableOnly ? variableOf(name) : `--${name} ${spec.value ?? ''}`.trim()
    return [left, describe(spec)]
  })
}

function describe({ help, choices, default: fallback }: OptionSpec): string {
  const listed = choices === undefined ? '' : `: ${choices.join(', ')}`
  return `${help}${listed} (${fallback === 'required' ? fallback : `default: ${fallback}`})`
}

function leftWidth(rows: readonly (readonly [string, string])[]): number {
  return Math.max(...rows.map(([left]) => left.length))
}

function twoColumns(rows: readonly (readonly [string, string])[], width = leftWidth(rows)): string {
  const indent = '  '
  return rows
    .map(([left, right]) => {
      const lines = wrap(right, columns - width - 2 * indent.length)
      return lines.map((line, i) => `${indent}${(i === 0 ? left : '').padEnd(width)}${indent}${line}\n`).join('')
    })
    .join('')
}
