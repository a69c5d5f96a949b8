# shellcheck shell=sh
# Sourced by the other scripts. Puts the Bun of package.json on the PATH, downloads it with npm or another Bun if it is
# missing, and installs the dependencies of bun.lock.
bun_version=$(sed -n 's/^ *"bun": "\([^"]*\)".*/\1/p' package.json)

if [ "$(bun --version 2>/dev/null || true)" != "$bun_version" ]; then
  if [ "$(.bun/node_modules/.bin/bun --version 2>/dev/null || true)" != "$bun_version" ]; then
    echo "Downloading Bun $bun_version…" >&2
    mkdir -p .bun
    if command -v npm >/dev/null 2>&1; then
      npm install --prefix .bun --no-save --no-audit --no-fund --loglevel=error "bun@$bun_version" >&2
    elif command -v bun >/dev/null 2>&1; then
      (cd .bun && { [ -e package.json ] || echo '{}' >package.json; } && bun add --exact "bun@$bun_version") >&2
    else
      echo "The build needs Node.js with npm, or Bun. Install one of them and try again." >&2
      exit 1
    fi
  fi
  PATH="$PWD/.bun/node_modules/.bin:$PATH"
  export PATH
fi

# The first attempt prints no errors; the second one shows them.
bun install --frozen-lockfile --silent || bun install --frozen-lockfile >&2
