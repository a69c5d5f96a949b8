# shellcheck shell=bash
# Completions of petstore for bash: eval "$(petstore completion bash)"
_petstore() {
  # bash splits words at colons and equals signs, and replaces only the text after the last of them.
  local words=() before='' kept='' word=''
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $before == [:=] ]]; then
      words[-1]+=$word
    elif [[ $word == [:=] && ${#words[@]} -gt 0 ]]; then
      words[-1]+=$word
      kept=${words[-1]}
    else
      words+=("$word")
      kept=''
    fi
    before=$word
  done
  local current=${words[-1]}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :file) mapfile -t COMPREPLY < <(compgen -f -- "${current#--*=}") ;;
      :directory) mapfile -t COMPREPLY < <(compgen -d -- "${current#--*=}") ;;
      "$current"*) COMPREPLY+=("${word#"$kept"}") ;;
    esac
    [[ $word == :* ]] && compopt -o filenames
  done < <(petstore __complete "${words[@]}" 2>/dev/null)
}
complete -F _petstore petstore
