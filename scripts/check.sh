#!/bin/sh
# Runs the checks other than the tests: format and lint, types, shell scripts, the OpenAPI document. A check that fails
# does not keep the others from running. `scripts/check.sh --fix` first corrects what can be corrected by a program: the
# format, what the linter can fix safely, and docs/openapi.json, the snapshot of the OpenAPI document.
set -eu
cd "$(dirname "$0")/.."
case "$*" in
'' | --fix) ;;
*)
  echo 'Usage: scripts/check.sh [--fix]' >&2
  exit 2
  ;;
esac
. scripts/bun.sh

failed=''
check() {
  name=$1
  shift
  echo "— $name" >&2
  "$@" || failed="$failed${failed:+, }$name"
}

if [ "${1:-}" = --fix ]; then
  check 'the snapshot of the OpenAPI document' bun scripts/snapshot-openapi.ts
  check 'format and lint' bun node_modules/.bin/biome check --write --colors=off .
else
  check 'format and lint' bun node_modules/.bin/biome ci --colors=off .
fi
check 'the types of the API' bun scripts/generate-api-types.ts
check 'types' bun --bun node_modules/.bin/tsc -p .
if command -v shellcheck >/dev/null 2>&1; then
  check 'shell scripts' shellcheck --external-sources scripts/*.sh .ci/run src/cli/completion/petstore.bash
else
  echo 'SKIPPED: checking the shell scripts needs shellcheck.' >&2
fi
check 'the OpenAPI document' scripts/lint-openapi.sh

[ -n "$failed" ] || exit 0
echo "FAILED: $failed. The findings are above; scripts/check.sh --fix corrects the format, some lint and docs/openapi.json." >&2
exit 1
