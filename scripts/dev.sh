#!/bin/sh
# Serves the dashboard from its source with hot reload, at http://localhost:5173/dashboard/. Everything else goes to a
# running server, http://127.0.0.1:8080 unless another address is given: scripts/dev.sh http://127.0.0.1:8081
# The pages have no Content-Security-Policy here; the tests in the browser run on the executable, which has one.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh

bun scripts/generate-api-types.ts
exec bun scripts/dev.ts "$@"
