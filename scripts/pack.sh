#!/bin/sh
# Creates dist/petstore-appliance.tgz, the package with startPetstore() for test suites. It takes about half a minute.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh

bun scripts/pack.ts dist
