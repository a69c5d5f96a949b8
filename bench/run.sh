#!/bin/sh
# Runs the benchmarks of the requests in less than ten minutes and prints every table. `--record` replaces the tables of
# bench/results.md. Needs a built dist/petstore and wrk; strace for the slow disk; Node and Go for the peers.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh

command -v wrk >/dev/null || { echo "The benchmarks need wrk: apt install wrk" >&2; exit 1; }
[ -x dist/petstore ] || scripts/build.sh

peers=bench/peers
if command -v npm >/dev/null && [ ! -d $peers/fastify/node_modules ]; then
  (cd $peers/fastify && npm ci --no-audit --no-fund --loglevel=error) >&2 || echo "Fastify cannot be installed" >&2
fi
if command -v go >/dev/null && [ ! -x $peers/pocketbase/dist/pocketbase ]; then
  (cd $peers/pocketbase && go build -o dist/pocketbase github.com/pocketbase/pocketbase/examples/base) >&2 ||
    echo "PocketBase cannot be built" >&2
fi

bun bench/requests.ts "$@"
if command -v strace >/dev/null; then bun bench/slow-disk.ts "$@"; else echo "SKIPPED: a slow disk needs strace." >&2; fi
bun bench/start.ts "$@"
