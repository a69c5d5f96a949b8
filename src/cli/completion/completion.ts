/** `petstore completion bash|zsh|fish`: completions for a shell, which ask `petstore __complete` what may follow. */

import { UsageError } from '../../config/values.ts'
import type { Command, Invocation } from '../command.ts'
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
