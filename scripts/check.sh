#!/bin/sh
# Runs the checks other than the tests: format and lint, types, shell scripts, the OpenAPI document.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh

bun node_modules/.bin/biome ci --colors=off .
bun scripts/generate-api-types.ts
bun --bun node_modules/.bin/tsc -p .
if command -v shellcheck >/dev/null 2>&1; then
  shellcheck --external-sources scripts/*.sh .ci/run
else
  echo 'SKIPPED: checking the shell scripts needs shellcheck.' >&2
fi
scripts/lint-openapi.sh
