#!/bin/sh
# Installs petstore from a release: sh install.sh [DIRECTORY], by default /usr/local/bin. It verifies the executable, which lies beside this
# file, with SHA256SUMS first.
set -eu

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

directory=${1:-/usr/local/bin}
[ -d "$directory" ] || fail "There is no directory $directory."
directory=$(cd "$directory" && pwd)
cd "$(dirname "$0")"

case "$(uname -s) $(uname -m)" in
'Linux x86_64') name=petstore-linux-x64 ;;
'Linux aarch64') name=petstore-linux-arm64 ;;
*) fail "The release has executables for Linux on x64 and arm64, and this machine is $(uname -s) on $(uname -m)." ;;
esac
[ -f "$name" ] || fail "$name is not beside this file: download it, too."
[ -f SHA256SUMS ] || fail 'SHA256SUMS is not beside this file: download it, too.'
grep "^[0-9a-f]\{64\}  $name\$" SHA256SUMS | sha256sum --check --strict --status - ||
  fail "$name is not the file of which SHA256SUMS has the sum. Nothing was installed: download both again."

target=$directory/petstore
[ ! -e "$target" ] || fail "There is a $target already. Upgrade it, with the store that it serves: sudo petstore upgrade $PWD/$name"
[ -w "$directory" ] || fail "$directory can't be written: run it with sudo, or name another directory."
trap 'rm -f "$target.new"' EXIT
install -m 755 "$name" "$target.new"
version=$("$target.new" version) || fail "$name does not run on this machine. It needs the C library of GNU (glibc), which Alpine Linux has not."
mv "$target.new" "$target"
echo "Installed $target: $version"
