#!/bin/sh
# Builds dist/petstore, the executable. Options of `bun build` may follow,
# such as --target=bun-linux-arm64 --outfile=dist/petstore-arm64.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh

# The types of the API for the dashboard.
bun scripts/generate-api-types.ts

# The web pages: writes dist/assets and src/server/assets/embedded.js, which the executable embeds.
bun scripts/build-assets.ts

# Without --minify: Elysia reads the source text of handlers, and treats minified handlers as asynchronous.
bun build src/main.ts src/database/checkpoint-worker.ts --compile --bytecode --sourcemap=none --outfile=dist/petstore \
  --no-compile-autoload-dotenv --no-compile-autoload-bunfig "$@"
