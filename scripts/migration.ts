/**
 * Adds a migration in all of its places, or renews the checksum of the newest one: scripts/migration.sh says how it is
 * called.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = 'src/database/migrations'
const list = 'src/database/migrate.ts'
const checksums = 'src/database/migrate.test.ts'

const [name, ...options] = process.argv.slice(2)
if (name === undefined) renewChecksum()
else add(name)

function add(name: string): void {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))
    fail(`The name of a migration has words like add_colors, not ${name}.`)
  const before = newest(folder, '.sql')
  const { exitCode } = Bun.spawnSync(
    ['bun', '--bun', 'node_modules/.bin/drizzle-kit', 'generate', `--name=${name}`, ...options],
    { stdio: ['inherit', 'inherit', 'inherit'] },
  )
  const file = newest(folder, '.sql')
  if (exitCode !== 0 || file === before) fail('There is no new migration.')
  removeOldSnapshots()
  const constant = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  edit(
    list,
    /( with \{ type: 'text' \}\n)(?!import .*\.sql')/,
    `$1import ${constant} from './migrations/${file}' with { type: 'text' }\n`,
  )
  edit(list, /(const migrations: readonly string\[\] = \[[^\]]*?),?\s*\]/, `$1, ${constant}]`)
  edit(checksums, /(const onMain = \[[^\]]*)( {2}\])/, `$1    '${checksum(file)}',\n$2`)
  Bun.spawnSync(['bun', 'node_modules/.bin/biome', 'format', '--write', list])
}

function renewChecksum(): void {
  edit(checksums, /(const onMain = \[[^\]]*)'[0-9a-f]{64}'(,\n {2}\])/, `$1'${checksum(newest(folder, '.sql'))}'$2`)
}

/** drizzle compares the tables with the newest alone. */
function removeOldSnapshots(): void {
  const meta = join(folder, 'meta')
  const last = newest(meta, '_snapshot.json')
  for (const file of readdirSync(meta)) {
    if (file.endsWith('_snapshot.json') && file !== last) rmSync(join(meta, file))
  }
}

/** The last file of a folder with such an end; the names begin with numbers. */
function newest(directory: string, end: string): string {
  return (
    readdirSync(directory)
      .filter((file) => file.endsWith(end))
      .sort()
      .at(-1) ?? fail(`${directory} has no ${end}.`)
  )
}

function checksum(file: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(join(folder, file))).digest('hex')
}

function edit(path: string, pattern: RegExp, replacement: string): void {
  const text = readFileSync(path, 'utf8')
  if (!pattern.test(text)) fail(`${path} has no place for the migration.`)
  writeFileSync(path, text.replace(pattern, replacement))
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
