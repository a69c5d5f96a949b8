#!/bin/sh
# Builds petstore and runs its tests. Arguments go to `bun test`: a file, or -t 'part of a title'.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh
scripts/build.sh
# Tests of the executable start real processes on machines that may be busy.
exec bun test --timeout 60000 "$@"
