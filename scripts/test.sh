#!/bin/sh
# Builds petstore if a source file has changed since the last build, and runs its tests. Arguments are passed to
# `bun test`: a file, or -t 'part of a title', or --changed. scripts/test-long.sh runs the other tests.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh
. scripts/build-if-changed.sh
# Tests of the executable start real processes on machines that may be busy.
exec bun scripts/run-tests.ts --timeout 60000 "$@"
