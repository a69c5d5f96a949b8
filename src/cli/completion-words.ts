/** Converts the table of commands to the form that completions need: the words of commands, and the options of each. */

import type { OptionSpec } from '../config/options.ts'
import { type Command, sharedOptions } from './command.ts'

/** A word of a command name, such as `keys`, and the words that may follow it. */
export interface Word {
  readonly word: string
  readonly summary: string
  readonly next: readonly Word[]
}

/** The first words of a command line. Each of them may also follow `help`. */
export function firstWords(commands: readonly Command[]): readonly Word[] {
  const groups = Map.groupBy(commands, ({ name }) => name.split(' ')[0] ?? '')
  const words = [...groups].map(([word, members]) => {
    const next = members.flatMap(({ name, summary }) => {
      const rest = name.slice(word.length + 1)
      return rest === '' ? [] : [{ word: rest, summary, next: [] }]
    })
    const listed = next.map((member) => member.word).join(', ')
    return { word, summary: listed || (members[0]?.summary ?? ''), next }
  })
  return [...words, { word: 'help', summary: 'print the commands, or the options of one', next: words }]
}

/** Every option of a command that a command line may have, by name without its dashes. */
export function optionsOf(command: Pick<Command, 'options' | 'isLocal'>): (readonly [string, OptionSpec])[] {
  const all = Object.entries<OptionSpec>({ ...command.options, ...sharedOptions(command) })
  return all.filter(([, spec]) => !spec.isVariableOnly)
}
