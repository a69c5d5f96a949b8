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

# What `petstore version` prints. An empty one stands for none: there is no Git in the stage of a container's build.
: "${PETSTORE_COMMIT=$(git rev-parse --short=12 HEAD 2>/dev/null || true)}"
[ -z "$PETSTORE_COMMIT" ] || [ -z "$(git status --porcelain 2>/dev/null || true)" ] || PETSTORE_COMMIT=$PETSTORE_COMMIT+

# Without --minify: Elysia reads the source text of handlers, and treats minified handlers as asynchronous.
bun build src/main.ts src/cli/run.ts src/cli/tasks.ts src/database/checkpoint-worker.ts --compile --bytecode \
  --sourcemap=none --outfile=dist/petstore \
  --no-compile-autoload-dotenv --no-compile-autoload-bunfig --define "PETSTORE_COMMIT='$PETSTORE_COMMIT'" \
  --define process.env.NODE_ENV="'production'" "$@"
