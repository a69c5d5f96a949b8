import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { emptyFolder } from './executable.ts'

const root = resolve(import.meta.dir, '../..')
const release = join(root, 'dist/release')
const folder = emptyFolder()
let output = ''

beforeAll(async () => {
  const child = Bun.spawn([join(root, 'scripts/release.sh'), '--with-changes'], { stdout: 'pipe', stderr: 'inherit' })
  output = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
}, 600_000)
afterAll(() => folder.remove())

test('a release has executables that run, checksums of all files, the licences and a bill of materials', async () => {
  expect(readdirSync(release).sort()).toEqual([
    'LICENSE',
    'SHA256SUMS',
    'THIRD-PARTY-LICENSES.txt',
    'install.sh',
    'petstore-linux-arm64',
    'petstore-linux-x64',
    'petstore.cdx.json',
  ])
  expect(output).toContain('petstore is alive: http://127.0.0.1:')
  expect(Bun.spawnSync(['sha256sum', '--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: release }).exitCode).toBe(
    0,
  )
  const bom = await Bun.file(join(release, 'petstore.cdx.json')).json()
  const names = bom.components.map((part: { name: string }) => part.name)
  expect(names).toEqual(expect.arrayContaining(['bun', 'sqlite', 'elysia', 'react', '@sinclair/typebox']))
  expect(bom.metadata.component.version).toMatch(/^\d+\.\d+\.\d+\+[0-9a-f]{12}\+?$/)
})

test.skipIf(process.arch !== 'x64')('install.sh installs it', () => {
  const { stdout, exitCode } = Bun.spawnSync(['sh', join(release, 'install.sh'), folder.path])
  expect([exitCode, stdout.toString()]).toEqual([
    0,
    expect.stringContaining(`Installed ${folder.path}/petstore: petstore `),
  ])
  expect(Bun.spawnSync([join(folder.path, 'petstore'), 'version']).stdout.toString()).toContain('database version')
})
