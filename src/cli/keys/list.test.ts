import { expect, test } from 'bun:test'
import type { Key } from '../../access/keys/schemas.ts'
import { defaultScopes } from '../../api/scopes.ts'
import { emptyFolder, executable, isBuilt, makeStore, runPetstore } from '../../testing/executable.ts'
import { ago, localTime } from '../terminal/output.ts'
import { keyTable } from './keys.ts'

const nowMs = new Date(2026, 10, 21, 14, 30).getTime()
const at = (...time: [year: number, month: number, day: number, hour: number, minute: number]) =>
  new Date(time[0], time[1] - 1, ...(time.slice(2) as [number, number, number])).toISOString()

const key: Key = {
  id: 1,
  accountId: 1,
  name: 'Till',
  plan: 'free',
  prefix: 'pet_live_abcd',
  scopes: ['pets:read'],
  createdAt: at(2026, 11, 1, 9, 0),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  bannedUntil: null,
  successorId: null,
} as Key

const plain = { outColumns: undefined, colours: false }

test('a list of keys has one line for each key, with readable times', () => {
  const keys: Key[] = [
    { ...key, lastUsedAt: at(2026, 11, 21, 14, 25), scopes: [...defaultScopes] },
    { ...key, id: 2, plan: 'enterprise', bannedUntil: at(2026, 11, 21, 14, 39), lastUsedAt: at(2026, 11, 20, 14, 25) },
    { ...key, id: 3, bannedUntil: at(2026, 11, 22, 13, 30) },
    { ...key, id: 13, expiresAt: at(2027, 2, 19, 12, 0), lastUsedAt: at(2026, 11, 3, 8, 0), scopes: ['admin'] },
    { ...key, id: 14, revokedAt: at(2026, 11, 3, 8, 0) },
    { ...key, id: 15, expiresAt: at(2026, 11, 21, 14, 30) },
  ]
  expect(keyTable(keys, plain, nowMs).split('\n')).toEqual([
    'ID  KEY             NAME  ACCOUNT  PLAN        STATE               LAST USED   SCOPES',
    ' 1  pet_live_abcd…  Till        1  free        active              5 min ago   default',
    ' 2  pet_live_abcd…  Till        1  enterprise  banned, 9 min left  24 h ago    pets:read',
    ' 3  pet_live_abcd…  Till        1  free        banned, 23 h left   never       pets:read',
    '13  pet_live_abcd…  Till        1  free        until 2027-02-19    2026-11-03  all',
    '14  pet_live_abcd…  Till        1  free        revoked             never       pets:read',
    '15  pet_live_abcd…  Till        1  free        expired             never       pets:read',
    '',
  ])
})

test('no line is wider than 100 columns, or than the terminal, with names of any width', () => {
  const names = ['x'.repeat(100), '猫'.repeat(100), '👩‍👩‍👧'.repeat(50), 'Paws \u001b[31m& Co.']
  const keys = names.map((name, i) => ({ ...key, id: i + 1_000_000, name, scopes: [...defaultScopes.slice(1)] }))
  for (const [outColumns, width] of [
    [undefined, 100],
    [80, 80],
    [120, 120],
  ] as const) {
    const lines = keyTable(keys, { outColumns, colours: false }, nowMs).trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBe(width)
    expect(lines.every((line) => !line.includes('\u001b'))).toBe(true)
  }
})

test('colours change no character and no column', () => {
  const keys = [key, { ...key, id: 2, revokedAt: at(2026, 11, 3, 8, 0) }]
  const coloured = keyTable(keys, { ...plain, colours: true }, nowMs)
  expect(coloured).toContain('\u001b[32mactive\u001b[0m')
  expect(coloured).toContain('\u001b[2mrevoked\u001b[0m')
  expect(Bun.stripANSI(coloured)).toBe(keyTable(keys, plain, nowMs))
})

test('a list of 300,000 keys is printed', () => {
  const table = keyTable(Array(300_000).fill(key), plain, nowMs)
  expect(table.split('\n')).toHaveLength(300_002)
})

const hasTerminal = isBuilt && Bun.which('script') !== null
if (!hasTerminal) console.error('SKIPPED: colours on a terminal need script.')

test.skipIf(!hasTerminal)('colours are printed only on a terminal, and not with NO_COLOR', async () => {
  const folder = emptyFolder()
  makeStore(folder.path)
  await runPetstore(['keys', 'create', '--name', 'Till'], { cwd: folder.path })
  const onTerminal = async (env: Record<string, string>) => {
    const child = Bun.spawn(['script', '-qec', `${executable} keys list`, '/dev/null'], {
      cwd: folder.path,
      env: { PATH: '/usr/bin:/bin', TERM: 'xterm', ...env },
      stdin: 'ignore',
      stdout: 'pipe',
    })
    return await new Response(child.stdout).text()
  }
  const coloured = await onTerminal({})
  const inPipe = (await runPetstore(['keys', 'list'], { cwd: folder.path })).out
  expect(coloured).toContain('\u001b[32mactive')
  expect(inPipe).not.toContain('\u001b')
  expect(Bun.stripANSI(coloured).replaceAll('\r', '')).toBe(inPipe)
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    expect((await onTerminal(env as Record<string, string>)).replaceAll('\r', '')).toBe(inPipe)
  }
  folder.remove()
})

test.skipIf(!isBuilt)('an empty list says how to begin, with the options of the store', async () => {
  const folder = emptyFolder()
  const store = ['--data', 'the shop', '--environment', 'staging']
  await runPetstore(['pets', 'import', '-', ...store], { cwd: folder.path, stdin: 'name,category\nRex,Dog\n' })
  const options = `--data '${folder.path}/the shop' --environment staging`
  const begin = {
    keys: 'keys. Issue one with: petstore keys create --name NAME',
    projects: 'projects. Create one with: petstore projects create NAME',
    domains: 'domains. Add one with: petstore domains add HOST --project SLUG',
  }
  for (const [group, text] of Object.entries(begin)) {
    const { out } = await runPetstore([group, 'list', ...store], { cwd: folder.path })
    expect(out).toBe(`There are no ${text.replace('.', ' yet.')} ${options}\n`)
  }
  folder.remove()
})

test('times are local, and recent ones are shown as the time that has passed', () => {
  expect(localTime(at(2026, 3, 5, 7, 8))).toBe('2026-03-05 07:08')
  const passed = [-5, 0, 59, 60, 3_599, 3_600, 172_799, 172_800].map((seconds) => ago(nowMs - seconds * 1_000, nowMs))
  expect(passed).toEqual([
    'just now',
    'just now',
    'just now',
    '1 min ago',
    '59 min ago',
    '1 h ago',
    '47 h ago',
    '2026-11-19',
  ])
})
