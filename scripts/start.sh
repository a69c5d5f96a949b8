#!/bin/sh
# Builds petstore and serves the store in ./data. Options of `petstore serve` may follow.
set -eu
cd "$(dirname "$0")/.."
scripts/build.sh >&2
exec dist/petstore serve "$@"
