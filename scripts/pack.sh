#!/bin/sh
# Creates dist/petstore-testing.tgz, the package with startPetstore() for test suites: bun add path/to/petstore-testing.tgz
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh

bun scripts/pack.ts dist
