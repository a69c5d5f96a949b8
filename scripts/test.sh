#!/bin/sh
# Builds petstore if a source file has changed since the last build, and runs its tests. Arguments are passed to
# `bun test`: a file, or -t 'part of a title'.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh
if [ ! -x dist/petstore ] || [ ! -e src/assets/embedded.js ] ||
  [ -n "$(find src scripts package.json bun.lock tsconfig.json -type f ! -name '*.test.ts' -newer dist/petstore | head -n 1)" ]; then
  scripts/build.sh
fi
# Tests of the executable start real processes on machines that may be busy.
exec bun test --timeout 60000 "$@"
