/** Parses a command line and the `PETSTORE_…` variables by their declarations. */

import { parseArgs } from 'node:util'
import { isFlag, type OptionSpec, type OptionSpecs } from './options.ts'
import { didYouMean, type OptionValue, type OptionValues, UsageError } from './values.ts'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

interface ParsedLine {
  readonly values: OptionValues
  readonly positionals: readonly string[]
}

/**
 * Reads the options of `specs` and the operands from a command line. An option that the command line does not have is
 * read from its `PETSTORE_…` variable, except with `--ephemeral`. Throws `UsageError` for options that are not in
 * `specs`.
 */
export function readOptions(specs: OptionSpecs, args: readonly string[], variables: EnvironmentVariables): ParsedLine {
  const { values, positionals } = readArguments(specs, args)
  // An ephemeral store must not depend on the variables of the shell.
  const isEphemeral = values['ephemeral'] === true
  if (isEphemeral && values['data'] !== undefined) {
    throw new UsageError('--ephemeral keeps everything in memory: leave out --data.')
  }
  const givesWay = (name: string) =>
    Object.keys(values).some((given) => excludes(specs, given, name) || excludes(specs, name, given))
  const variableValues = isEphemeral ? {} : readVariables(specs, variables)
  const fromVariables = Object.entries(variableValues).filter(([name]) => !givesWay(name))
  const all = { ...Object.fromEntries(fromVariables), ...values }
  for (const name of Object.keys(all)) {
    const other = Object.keys(all).find((other) => excludes(specs, name, other))
    if (other !== undefined) throw new UsageError(`--${name} and --${other} exclude each other: leave out one of them.`)
  }
  return { values: all, positionals }
}

const excludes = (specs: OptionSpecs, name: string, other: string) => specs[name]?.excludes?.includes(other) === true

function readArguments(specs: OptionSpecs, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => {
      const type = isFlag(spec) ? ('boolean' as const) : ('string' as const)
      return [name, { type, multiple: spec.multiple ?? false }]
    }),
  )
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true })
  const values: Record<string, OptionValue> = {}
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
    if (!spec || !rawName.startsWith('--')) throw new UsageError(unknownOption(rawName, name, specs))
    const given = checkedValue(spec, name, value, token.inlineValue ?? false)
    const before = values[name]
    values[name] = typeof given === 'object' && Array.isArray(before) ? [...before, ...given] : given
  }
  return { values, positionals }
}

function unknownOption(rawName: string, name: string, specs: OptionSpecs): string {
  const suggestion = rawName.startsWith('--') ? didYouMean(name, Object.keys(specs), '--') : ''
  return `There is no option ${rawName}.${suggestion}`
}

function checkedValue(spec: OptionSpec, name: string, value: string | undefined, isInline: boolean) {
  if (spec.isVariableOnly) {
    throw new UsageError(`--${name} is not an option, since others can read command lines: set ${variableOf(name)}.`)
  }
  if (isFlag(spec)) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value.`)
    return true
  }
  if (value === undefined) throw new UsageError(`--${name} needs a value: --${name} ${spec.value ?? 'VALUE'}.`)
  if (value.startsWith('--') && !isInline) {
    throw new UsageError(`--${name} needs a value; write --${name}=${value} if "${value}" is the value.`)
  }
  // An unset shell variable makes `--data "$DIR"` empty, which must not mean the current directory.
  if (value === '') throw new UsageError(`--${name} must not be empty.`)
  return spec.multiple ? parts(spec, value) : value
}

function readVariables(specs: OptionSpecs, variables: EnvironmentVariables): OptionValues {
  const found = Object.entries(specs).flatMap(([name, spec]) => {
    const variable = variableOf(name)
    const text = [variable, ...(spec.alsoFrom ?? [])].map((name) => variables[name]).find((value) => value)
    return text === undefined || spec.hasVariable === false ? [] : [[name, readVariable(variable, spec, text)] as const]
  })
  return Object.fromEntries(found)
}

function readVariable(variable: string, spec: OptionSpec, text: string): OptionValue {
  if (isFlag(spec)) {
    if (/^(1|true|yes|on)$/i.test(text)) return true
    if (/^(0|false|no|off)$/i.test(text)) return false
    throw new UsageError(`${variable} must be true or false, not "${text}".`)
  }
  return spec.multiple ? parts(spec, text) : text
}

function parts({ commas = false }: OptionSpec, value: string): readonly string[] {
  return commas ? value.split(',').map((part) => part.trim()) : [value]
}

/** The name of the environment variable of an option. */
export function variableOf(name: string): string {
  return `PETSTORE_${name.toUpperCase().replaceAll('-', '_')}`
}
