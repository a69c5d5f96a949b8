/** `petstore help` and `--help`, from the same table that runs the commands. */

import { commonOptions, type OptionSpecs } from '../config.ts'
import { type Command, formatTable } from './command.ts'

/** The help of a list of commands. */
export function overview(listed: readonly Command[]): string {
  const rows = listed.map(({ name, operands = '', summary }) => [`  ${`${name} ${operands}`.trim()}`, summary])
  return [
    'Usage: petstore COMMAND [OPTIONS]\n\nCommands:\n',
    formatTable(rows),
    '\nOptions of every command:\n',
    optionTable(commonOptions),
    '\nMore on one: petstore help COMMAND\n',
  ].join('')
}

/** The help of one command. */
export function helpText({ name, operands = '', summary, options = {} }: Command): string {
  return [
    `${`petstore ${name} ${operands}`.trim()} — ${summary}\n\nOptions:\n`,
    optionTable({ ...options, ...commonOptions }),
    '\nEach can also be given as a variable: --data as PETSTORE_DATA, and so on.\n',
  ].join('')
}

function optionTable(options: OptionSpecs): string {
  return formatTable(Object.entries(options).map(([name, { value = '', help }]) => [`  --${name} ${value}`, help]))
}
