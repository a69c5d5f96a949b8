/** `petstore completion bash|zsh|fish`: completions for a shell, generated from the table of commands. */

import { UsageError } from '../config/values.ts'
import type { Command, Invocation } from './command.ts'
import { bashCompletion } from './completion-bash.ts'
import { fishCompletion } from './completion-fish.ts'
import { zshCompletion } from './completion-zsh.ts'
import { print } from './output.ts'

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }
const shells = Object.keys(scripts) as (keyof typeof scripts)[]

/** The parameter is a function, because the table contains this command too. */
export function createCompletion(commands: () => readonly Command[]): Command {
  return {
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
      const script = scripts[shell](commands())
      print({ values, terminal }, { shell, script }, script)
      return 0
    },
  }
}
