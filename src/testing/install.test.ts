import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { emptyFolder } from './executable.ts'

const name = { x64: 'petstore-linux-x64', arm64: 'petstore-linux-arm64' }[process.arch as string] ?? ''
const canInstall = process.platform === 'linux' && name !== '' && Bun.which('sha256sum') !== null
if (!canInstall) console.error('SKIPPED: install.sh needs Linux on x64 or arm64, and sha256sum.')

let folder: ReturnType<typeof emptyFolder>
let release: string
let target: string
beforeEach(() => {
  folder = emptyFolder()
  release = join(folder.path, 'a release')
  target = join(folder.path, 'bin')
  mkdirSync(release)
  mkdirSync(target)
  cpSync(resolve(import.meta.dir, '../../scripts/install.sh'), join(release, 'install.sh'))
  writeFileSync(join(release, name), '#!/bin/sh\necho petstore 9.9.9\n')
  const sum = new Bun.CryptoHasher('sha256').update(readFileSync(join(release, name))).digest('hex')
  writeFileSync(join(release, 'SHA256SUMS'), `${sum}  ${name}\n${'0'.repeat(64)}  another\n`)
})
afterEach(() => folder.remove())

function install(...args: readonly string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['sh', join(release, 'install.sh'), ...args], { cwd: folder.path })
  return { code: exitCode, out: stdout.toString(), err: stderr.toString(), installed: readdirSync(target) }
}

describe.skipIf(!canInstall)('install.sh', () => {
  test('installs the executable of this machine once its checksum is right', () => {
    const out = `Installed ${target}/petstore: petstore 9.9.9\n`
    expect(install('bin')).toEqual({ code: 0, out, err: '', installed: ['petstore'] })
  })

  test('installs nothing that was changed, or whose checksum is not known', () => {
    appendFileSync(join(release, name), 'true\n')
    const changed = install(target)
    expect([changed.code, changed.out, changed.installed]).toEqual([1, '', []])
    expect(changed.err).toContain(`${name} does not match SHA256SUMS. Nothing was installed`)
    writeFileSync(join(release, 'SHA256SUMS'), `${'0'.repeat(64)}  another\n`)
    expect(install(target)).toMatchObject({ code: 1, installed: [] })
  })

  test('does not replace an existing executable, or install one that does not run', () => {
    writeFileSync(join(target, 'petstore'), '')
    const there = install(target)
    expect([there.code, there.err]).toEqual([
      1,
      `install.sh: ${target}/petstore already exists. Upgrade it together with its store: sudo petstore upgrade ${release}/${name}\n`,
    ])
  })
})
