#!/bin/sh
# Lints docs/openapi.json, the reviewed description of the API, with Spectral and Redocly: any finding, warnings
# included, fails. The rules, and why some are off, stand in docs/spectral.yaml and docs/redocly.yaml.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh

# Redocly reports its use and looks for updates unless told not to.
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

bun --bun node_modules/.bin/spectral lint --ruleset docs/spectral.yaml --fail-severity hint docs/openapi.json
bun --bun node_modules/.bin/redocly lint --config docs/redocly.yaml --format stylish docs/openapi.json
