import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { imageBytes } from '../shop/photos/testing/images.ts'
import { emptyFolder, isBuilt, makeStore, runPetstore } from '../testing/executable.ts'
import { commands } from './commands.ts'

const folder = emptyFolder()
const petstore = (...args: string[]) => runPetstore(args, { cwd: folder.path })

beforeAll(async () => {
  writeFileSync(join(folder.path, 'animals.csv'), 'name,category\nRex,Dog\n,Dog\n')
  mkdirSync(join(folder.path, 'site'))
  writeFileSync(join(folder.path, 'site/index.html'), 'hi')
  makeStore(folder.path)
  writeFileSync(join(folder.path, 'cat.jpg'), await imageBytes('jpeg'))
  if (isBuilt) await petstore('keys', 'create', '--name', 'Till')
})
afterAll(() => folder.remove())

const issued = ['id', 'accountId', 'name', 'plan', 'scopes', 'expiresAt', 'key']
const key = ['id', 'accountId', 'name', 'plan', 'scopes', 'expiresAt']
const account = ['id', 'name', 'plan', 'perMinute', 'perDay', 'createdAt']
const project = ['id', 'accountId', 'name', 'slug', 'cnameTarget', 'url', 'createdAt']
const backup = ['file', 'bytes', 'createdAt']

/** For each command line, whether the document is one object or a list of them, and members that each object has. */
const documents: readonly (readonly [line: string, form: 'one' | 'list', members: readonly string[]])[] = [
  ['keys create --name Website', 'one', issued],
  ['keys roll 2', 'one', issued],
  ['keys list', 'list', key],
  ['keys revoke 1', 'one', key],
  ['keys unban 1', 'one', key],
  ['accounts list', 'list', account],
  ['accounts update 1 --plan pro', 'one', account],
  ['projects create Website --account 1', 'one', project],
  ['projects list', 'list', project],
  ['deploy site --project website', 'one', ['id', 'projectId', 'fileCount', 'isLive']],
  ['pets import animals.csv --skip-invalid', 'one', ['imported', 'skipped', 'errors']],
  ['pets export', 'list', ['id', 'name', 'categoryId', 'status']],
  ['pets show 1', 'one', ['petId', 'pet', 'breed', 'price']],
  ['pets set 1 breed=Boxer', 'one', ['petId', 'pet', 'breed', 'price']],
  ['pets photos add 1 cat.jpg', 'one', ['added', 'errors']],
  ['pets photos list 1', 'list', ['id', 'alt', 'width', 'height', 'large']],
  ['pets photos remove 1 1', 'one', ['id']],
  ['settings set currency=EUR', 'one', ['currency']],
  ['settings show', 'one', ['currency']],
  ['demo --data demo', 'one', ['animals', 'categories', 'orders']],
  ['backup create', 'one', backup],
  ['backup list', 'list', backup],
  ['backup verify BACKUP', 'one', ['file', 'ok', 'animals', 'orders', 'keys']],
  ['backup restore BACKUP', 'one', ['file', 'animals', 'orders', 'keys', 'previous', 'isHeld']],
  ['backup confirm', 'one', ['heldSince']],
  ['backup keys create', 'one', ['identity', 'recipient']],
  ['status', 'one', ['running', 'version', 'folder', 'attention', 'backups']],
  ['owner reset', 'one', ['setupUrl', 'localSetupUrl', 'tunnel']],
  ['openapi', 'one', ['openapi', 'paths']],
  ['completion bash', 'one', ['shell', 'script']],
  ['version', 'one', ['version']],
  ['help', 'list', ['name', 'options', 'examples']],
]

describe.skipIf(!isBuilt)('with --json', () => {
  test('every command prints one JSON document on stdout and nothing else there', async () => {
    let file = ''
    for (const [line, form, members] of documents) {
      const { code, out, err } = await petstore(...line.replace('BACKUP', file).split(' '), '--json')
      expect([line, code, err.replace(/^(Created a new store:|The store is) .*\n/, '')]).toEqual([line, 0, ''])
      const document = JSON.parse(out)
      expect([line, Array.isArray(document)]).toEqual([line, form === 'list'])
      const [one] = form === 'list' ? document : [document]
      expect([line, members.filter((member) => !(member in one))]).toEqual([line, []])
      if (line === 'backup create') file = one.file
      if (members === issued || members === backup) expect([line, Object.keys(one)]).toEqual([line, [...members]])
    }
  })

  test('a failing command prints nothing on stdout and one line on stderr', async () => {
    for (const line of [
      'keys revoke 999',
      'keys list --nonsense',
      'backup verify nothing.db',
      'pets export --data x',
      'dance',
    ]) {
      const { code, out, err } = await petstore(...line.split(' '), '--json')
      expect([line, code > 0, out, err.split('\n').length]).toEqual([line, true, '', 2])
    }
  })

  test('every command is in this test', () => {
    // serve runs until it is stopped, and the others need a server, systemd, free ports, name servers or another
    // machine: their own tests check their documents.
    const elsewhere = /^(serve|service .*|events .*|health|doctor|domains .*|login|logout|backup download|upgrade)$/
    const others = commands.map(({ name }) => name).filter((name) => !elsewhere.test(name))
    expect(others.filter((name) => !documents.some(([line]) => line.startsWith(name)))).toEqual([])
  })
})
