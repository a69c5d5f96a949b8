#!/bin/sh
# The tests that take long, hurt or need real peers: kills at each step, full disks, load, hosting with a real
# certificate authority and real DNS servers (src/**/*.long.ts), and ten runs of every file with properties. With
# arguments, only these files run: ./src/operate/backups/killed.long.ts
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh
. scripts/build-if-changed.sh
if [ $# -gt 0 ]; then exec bun scripts/run-tests.ts --timeout 600000 "$@"; fi

status=0
find ./src -name '*.long.ts' | sort | xargs bun scripts/run-tests.ts --timeout 600000 || status=1
grep -rl "from 'fast-check'" src --include='*.test.ts' | sort |
  xargs bun scripts/run-tests.ts --timeout 60000 --rerun-each=10 --only-failures || status=1
exit $status
