#!/bin/sh
# Adds a migration for what has changed in the tables (`table.ts`): its file, its place in the list of migrations, its
# checksum.
#
#     scripts/migration.sh NAME            such as categories_have_colors
#     scripts/migration.sh NAME --custom   an empty one, for SQL that drizzle has no words for
#     scripts/migration.sh                 renews the checksum of the newest one, after it was edited
set -eu
cd "$(dirname "$0")/.."
. scripts/bun.sh
bun scripts/migration.ts "$@"
