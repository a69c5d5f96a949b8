/** Completions for bash, from version 3.2 on, without the bash-completion package. */

import type { OptionSpec } from '../config/options.ts'
import type { Command } from './command.ts'
import { firstWords, optionsOf, type Word } from './completion-words.ts'
import { quoted } from './shell-words.ts'

export function bashCompletion(commands: readonly Command[]): string {
  const words = firstWords(commands)
  const groups = words.filter(({ next }) => next.length > 0)
  return `# Completions of petstore for bash: eval "$(petstore completion bash)"
# shellcheck disable=SC2207 # bash 3.2 has no mapfile
_petstore_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
# shellcheck disable=SC2207
_petstore_list() {
  local done=
  [[ $cur == *,* ]] && done=\${cur%,*},
  COMPREPLY=($(compgen -P "$done" -W "$1" -- "\${cur##*,}"))
}
# shellcheck disable=SC2207
_petstore_paths() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
  compopt -o filenames 2>/dev/null
}
_petstore_complete() {
  local command=\${words[1]}
  if ((count == 2)); then
    _petstore_words ${quoted(listOf(words))}
    return
  fi
  case $command in
${groups.map(groupCase).join('')}  esac
  case "$command $previous" in
${commands.flatMap((command) => optionsOf(command).map(([name, spec]) => optionCase(command, name, spec))).join('')}  esac
  case $command in
${commands.map(commandCase).join('')}  esac
}
_petstore() {
  local words=() word i
  # bash splits words at colons and equals signs.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((i > 0)) && [[ $word == [:=] || \${COMP_WORDS[i - 1]} == [:=] ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  local count=\${#words[@]}
  local cur=\${words[count-1]} previous=\${words[count-2]}
  if [[ $cur == --*=* ]]; then
    previous=\${cur%%=*}
    cur=\${cur#*=}
  fi
  COMPREPLY=()
  _petstore_complete
  # readline replaces only the text after the last colon. The text before an equals sign is removed above.
  local kept=\${cur%"\${cur##*:}"}
  if [[ $kept && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"$kept"}"); fi
}
complete -F _petstore petstore
`
}

function listOf(words: readonly Word[]): string {
  return words.map(({ word }) => word).join(' ')
}

function groupCase({ word, next }: Word): string {
  const deeper = next.filter((second) => second.next.length > 0)
  const thirds = deeper.map((second) => `${second.word}) _petstore_words ${quoted(listOf(second.next))} ;; `).join('')
  return `    ${word})
      if ((count == 3)); then
        _petstore_words ${quoted(listOf(next))}
        return
      fi
${
  thirds === ''
    ? ''
    : `      if ((count == 4)); then case \${words[2]} in ${thirds}esac; fi
`
}      command="${word} \${words[2]}"
      ;;
`
}

function optionCase({ name: command }: Command, name: string, spec: OptionSpec): string {
  if (spec.type === 'boolean') return ''
  return `    ${quoted(`${command} --${name}`)}) ${suggestions(spec)}return ;;\n`
}

function suggestions({ choices, commas, path }: OptionSpec): string {
  if (path) return `_petstore_paths ${path === 'file' ? '-f' : '-d'}; `
  if (!choices) return ''
  return `${commas ? '_petstore_list' : '_petstore_words'} ${quoted(choices.join(' '))}; `
}

function commandCase(command: Command): string {
  const { completes } = command
  const options = optionsOf(command).map(([name]) => `--${name}`)
  const operands =
    completes === 'file'
      ? '_petstore_paths -f'
      : completes === 'directory'
        ? '_petstore_paths -d'
        : completes === undefined
          ? undefined
          : `_petstore_words ${quoted(completes.join(' '))}`
  const atOptions = `_petstore_words ${quoted(options.join(' '))}`
  const body = operands === undefined ? atOptions : `if [[ $cur == -* ]]; then ${atOptions}; else ${operands}; fi`
  return `    ${quoted(command.name)}) ${body} ;;\n`
}
