/** Declarations of options: parsing, `petstore help` and completion use them. */

import { environments } from '../lib/environment.ts'

export interface OptionSpec {
  /** The option may be repeated. */
  readonly multiple?: boolean
  /** A value is a list, separated by commas. */
  readonly commas?: boolean
  /** The name of the value in the help, in capitals; an option without one is a flag, unless it is a secret. */
  readonly value?: string
  /** A description of the option, without its default and choices. */
  readonly help: string
  /** The default as the help shows it, such as `./data`, `none` or `off`; `required` if there is none. */
  readonly default: string
  /** The accepted values, for the help and the completions. */
  readonly choices?: readonly string[]
  /** Whether a `PETSTORE_…` variable can set it too; yes unless it says no. */
  readonly hasVariable?: boolean
  /** The value is a path: completions offer files or directories. */
  readonly path?: 'file' | 'directory'
  /** The options that it can't be given with. An option on the command line overrides a variable that it excludes. */
  readonly excludes?: readonly string[]
  /** A secret, which is given only in its variable: every user of the machine can read command lines. */
  readonly isVariableOnly?: boolean
  /** Variables of other programs from which it is read if its own is not set, the first that is set. */
  readonly alsoFrom?: readonly string[]
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

/** For an option that has several values. */
export const repeatable = { multiple: true, commas: true } as const satisfies Partial<OptionSpec>

export const isFlag = ({ value, isVariableOnly = false }: OptionSpec): boolean => value === undefined && !isVariableOnly

/** Options of every command. */
export const commonOptions = {
  data: { value: 'DIR', help: 'the data directory', default: "./data, else the service's", path: 'directory' },
  environment: { value: 'NAME', help: 'the environment', default: 'production', choices: environments },
  json: { help: 'print one JSON document instead of text', default: 'off' },
} as const satisfies OptionSpecs

/** Options of every command that can work from another machine. */
export const remoteOptions = {
  url: {
    value: 'URL',
    help: 'a store on another machine: the address of its API, with a key in PETSTORE_KEY, or a name from petstore login',
    default: 'none',
    excludes: ['data', 'environment'],
  },
} as const satisfies OptionSpecs
