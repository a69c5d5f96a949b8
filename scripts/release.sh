#!/bin/sh
# Makes a release in dist/release from the committed files: the executables for Linux on x64 and arm64, install.sh, the
# bill of materials and the licences of what is in them, and SHA256SUMS. Starts each executable that this machine can
# run; that for arm64 needs the Debian packages qemu-user-static and libc6-arm64-cross.
set -eu
cd "$(dirname "$0")/.."
if [ -n "$(git status --porcelain)" ] && [ "${1:-}" != --with-changes ]; then
  echo 'There are uncommitted changes. Commit them, or make a trial release with scripts/release.sh --with-changes.' >&2
  exit 1
fi
. scripts/bun.sh

release=dist/release
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
rm -rf "$release"
mkdir -p "$release"

# Starts the executable that the arguments run, and checks that it is alive.
try() {
  "$@" version
  "$@" serve --ephemeral --port 0 --json --log-level error >"$work/ready" &
  server=$!
  tries=0
  until [ -s "$work/ready" ] || [ $tries -eq 600 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  "$@" health --port "$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$work/ready")" && code=0 || code=1
  kill "$server"
  wait "$server" || true
  : >"$work/ready"
  return "$code"
}

# Baseline: processors without AVX2, such as those of many small servers, run it too.
scripts/build.sh --target=bun-linux-x64-baseline --outfile="$release/petstore-linux-x64"
scripts/build.sh --target=bun-linux-arm64 --outfile="$release/petstore-linux-arm64"

try "$release/petstore-linux-x64"
sysroot=/usr/aarch64-linux-gnu
if [ "$(uname -m)" = aarch64 ]; then
  try "$release/petstore-linux-arm64"
elif command -v qemu-aarch64-static >/dev/null && [ -d $sysroot ]; then
  try qemu-aarch64-static -L $sysroot "$release/petstore-linux-arm64"
else
  echo 'SKIPPED: starting the executable for arm64 needs qemu-user-static and libc6-arm64-cross.' >&2
fi

cp scripts/install.sh LICENSE "$release"
bun scripts/sbom.ts "$("$release/petstore-linux-x64" version --json | sed -n 's/.*"commit":"\([^"]*\)".*/\1/p')" >"$release/petstore.cdx.json"
bun -e "import { licensesText } from './scripts/licenses.ts'; console.log(licensesText())" >"$release/THIRD-PARTY-LICENSES.txt"
(cd "$release" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
(cd "$release" && ls -l)
