#!/bin/sh
# Builds dist/petstore, one executable with everything in it. Options of `bun build` may follow,
# such as --target=bun-linux-arm64 --outfile=dist/petstore-arm64.
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh

# The web pages: dist/assets and src/assets/embedded.js, which the executable carries.
bun scripts/build-assets.ts

# No --minify: Elysia reads the text of its handlers, and minified text makes it take them for asynchronous code.
bun build src/main.ts --compile --bytecode --sourcemap=none --outfile=dist/petstore \
  --no-compile-autoload-dotenv --no-compile-autoload-bunfig "$@"
