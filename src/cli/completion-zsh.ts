/** Completions for zsh: as the file `_petstore` in a directory of `$fpath`, or evaluated. */

import type { OptionSpec } from '../config/options.ts'
import type { Command } from './command.ts'
import { firstWords, optionsOf, type Word } from './completion-words.ts'
import { quoted } from './shell-words.ts'

export function zshCompletion(commands: readonly Command[]): string {
  const words = firstWords(commands)
  const groups = words.filter(({ next }) => next.length > 0)
  return `#compdef petstore
# Completions of petstore for zsh: eval "$(petstore completion zsh)"
_petstore() {
  local -a entries
  local command=$words[2]
  if ((CURRENT == 2)); then
    entries=(${entriesOf(words)})
    _describe -t commands command entries
    return
  fi
  case $command in
${groups.map(groupCase).join('')}    *) shift words; ((CURRENT -= 1)) ;;
  esac
  case $command in
${commands.map(commandCase).join('')}  esac
}
if [[ $funcstack[1] == _petstore ]]; then
  _petstore "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _petstore petstore
fi
`
}

function entriesOf(words: readonly Word[]): string {
  return words.map(({ word, summary }) => quoted(`${word}:${summary}`)).join(' ')
}

function groupCase({ word, next }: Word): string {
  const deeper = next.filter((second) => second.next.length > 0)
  return `    ${word})
      if ((CURRENT == 3)); then
        entries=(${entriesOf(next)})
        _describe -t commands command entries
        return
      fi
${deeper.length === 0 ? '' : topicsOf(deeper)}      command="${word} $words[3]"
      shift 2 words
      ((CURRENT -= 2))
      ;;
`
}

function topicsOf(words: readonly Word[]): string {
  return `      if ((CURRENT == 4)); then
        case $words[3] in
${words.map(({ word, next }) => `          ${word}) entries=(${entriesOf(next)}); _describe -t commands command entries ;;\n`).join('')}        esac
        return
      fi
`
}

function commandCase(command: Command): string {
  const specs = [...optionsOf(command).map(([name, spec]) => optionSpec(name, spec)), ...operandSpecs(command)]
  return `    ${quoted(command.name)})
      _arguments -s \\
        ${specs.map(quoted).join(' \\\n        ')}
      ;;
`
}

function optionSpec(name: string, spec: OptionSpec): string {
  const help = `[${spec.help.replaceAll(/[[\]\\:]/g, '\\$&')}]`
  if (spec.type === 'boolean') return `--${name}${help}`
  return `${spec.multiple ? '*' : ''}--${name}=${help}:${label(spec.value ?? 'VALUE')}:${action(spec)}`
}

function action({ choices, commas, path }: OptionSpec): string {
  if (path) return path === 'file' ? '_files' : '_files -/'
  if (!choices) return ' '
  const escaped = choices.map((choice) => choice.replaceAll(':', '\\:')).join(' ')
  return commas ? `_sequence compadd - ${escaped}` : `(${escaped})`
}

function label(text: string): string {
  return text.replaceAll(':', '\\:')
}

function operandSpecs({ completes, operands = 'FILE' }: Command): string[] {
  if (completes === undefined) return []
  if (completes === 'file' || completes === 'directory')
    return [`:${label(operands)}:_files${completes === 'file' ? '' : ' -/'}`]
  return [`:${label(operands)}:(${completes.join(' ')})`]
}
