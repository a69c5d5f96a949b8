#!/bin/sh
# Installs petstore from a release: sh install.sh [DIRECTORY]. The default directory is /usr/local/bin. First it
# verifies the executable, which has to be in the directory of this file, against SHA256SUMS.
set -eu

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

directory=${1:-/usr/local/bin}
[ -d "$directory" ] || fail "The directory $directory does not exist."
directory=$(cd "$directory" && pwd)
cd "$(dirname "$0")"

case "$(uname -s) $(uname -m)" in
'Linux x86_64') name=petstore-linux-x64 ;;
'Linux aarch64') name=petstore-linux-arm64 ;;
*) fail "The release has executables for Linux on x64 and arm64, but this machine has $(uname -s) on $(uname -m)." ;;
esac
[ -f "$name" ] || fail "$name is not in the directory of this file: download it."
[ -f SHA256SUMS ] || fail 'SHA256SUMS is not in the directory of this file: download it.'
grep "^[0-9a-f]\{64\}  $name\$" SHA256SUMS | sha256sum --check --strict --status - ||
  fail "$name does not match SHA256SUMS. Nothing was installed: download both files again."

target=$directory/petstore
[ ! -e "$target" ] || fail "$target already exists. Upgrade it together with its store: sudo petstore upgrade $PWD/$name"
[ -w "$directory" ] || fail "$directory is not writable: use sudo, or give another directory."
trap 'rm -f "$target.new"' EXIT
install -m 755 "$name" "$target.new"
version=$("$target.new" version) || fail "$name does not run on this machine. It needs the GNU C library (glibc), which Alpine Linux does not have."
mv "$target.new" "$target"
echo "Installed $target: $version"
