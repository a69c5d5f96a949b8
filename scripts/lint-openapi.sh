#!/bin/sh
# Lints docs/openapi.json, the reviewed snapshot of the OpenAPI document, with Spectral and Redocly. Any finding fails,
# also a warning. docs/spectral.yaml and docs/redocly.yaml configure the rules and say why some are off.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh

# Without these variables Redocly sends usage data and looks for updates.
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

status=0
bun --bun node_modules/.bin/spectral lint --ruleset docs/spectral.yaml --fail-severity hint docs/openapi.json || status=1
bun --bun node_modules/.bin/redocly lint --config docs/redocly.yaml --format stylish docs/openapi.json || status=1
exit $status
