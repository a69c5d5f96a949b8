/** `petstore help` and `--help`, from the same table that runs the commands. */

import { commonOptions, type OptionSpecs } from '../config.ts'
import { type Command, formatTable } from './command.ts'
import { commands } from './commands.ts'

/** The help of one command, or of all of them. */
export function helpText(command?: Command): string {
  return command ? commandHelp(command) : overview()
}

function overview(): string {
  const rows = commands.map(({ name, operands = '', summary }) => [`  ${`${name} ${operands}`.trim()}`, summary])
  return [
    'Usage: petstore COMMAND [OPTIONS]\n\nCommands:\n',
    formatTable(rows),
    '\nOptions of every command:\n',
    optionTable(commonOptions),
    '\nMore on one: petstore help COMMAND\n',
  ].join('')
}

function commandHelp({ name, operands = '', summary, options = {} }: Command): string {
  return [
    `${`petstore ${name} ${operands}`.trim()} — ${summary}\n\nOptions:\n`,
    optionTable({ ...options, ...commonOptions }),
    '\nEach can also be given as a variable: --data as PETSTORE_DATA, and so on.\n',
  ].join('')
}

function optionTable(options: OptionSpecs): string {
  return formatTable(Object.entries(options).map(([name, { value = '', help }]) => [`  --${name} ${value}`, help]))
}
