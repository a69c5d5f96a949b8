#compdef petstore
# Completions of petstore for zsh: eval "$(petstore completion zsh)"
_petstore() {
  local line
  local -a entries
  for line in ${(f)"$(petstore __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
    case $line in
      :file) compset -P '--*='; _files; return ;;
      :directory) compset -P '--*='; _files -/; return ;;
      *$'\t'*) entries+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) entries+=("${line//:/\\:}") ;;
    esac
  done
  _describe petstore entries
}
if [[ $funcstack[1] == _petstore ]]; then
  _petstore "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _petstore petstore
fi
