# shellcheck shell=sh
# Sourced by the scripts that test the executable. Builds it if a source file has changed since the last build.
if [ ! -x dist/petstore ] || [ ! -e src/server/assets/embedded.js ] ||
  [ -n "$(find src scripts package.json bun.lock tsconfig.json -type f ! -name '*.test.ts' ! -name '*.long.ts' -newer dist/petstore | head -n 1)" ]; then
  scripts/build.sh
fi
