import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { filesBelow } from '../hosting/deploys/testing/site.ts'
import { buildTar } from '../hosting/deploys/testing/tar.ts'
import { buildZip } from '../hosting/deploys/testing/zip.ts'
import {
  emptyFolder,
  executable,
  isBuilt,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../testing/executable.ts'
import { eventually } from '../testing/per-test/server.ts'

const folder = emptyFolder()
let server: PetstoreProcess

beforeAll(async () => {
  if (!isBuilt) return
  server = await startPetstoreProcess([], { cwd: folder.path })
  await petstore('projects', 'create', 'Paws')
})
afterAll(async () => {
  await server?.kill()
  folder.remove()
})

const petstore = (...args: string[]) => runPetstore(args, { cwd: folder.path })
const json = async (...args: string[]) => JSON.parse((await petstore(...args, '--json')).out)
const fetchJson = async (path: string) => {
  const headers = { Authorization: `Bearer ${server.ready.key}` }
  return await (await fetch(`${server.ready.url}/v1${path}`, { headers })).json()
}

/** Writes a folder of files; returns its name. */
function site(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name, path)), { recursive: true })
    writeFileSync(join(folder.path, name, path), content)
  }
  return name
}

const storedFiles = () => filesBelow(join(folder.path, 'data', 'production-files'))
function rowCount(from: string): number {
  using database = new Database(join(folder.path, 'data', 'production.db'), { readonly: true })
  return database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${from}`).get()?.n ?? 0
}
const liveDeploy = async () => (await fetchJson('/projects/1')).liveDeploy

describe.skipIf(!isBuilt)('petstore deploy, beside a running server', () => {
  test('a folder is published, and the server shows the deploy', async () => {
    const files = {
      'index.html': 'hi',
      'blog/index.html': 'blog',
      '.env': 'secret',
      '.git/config': 'x',
      '.well-known/security.txt': 'Contact: x',
    }
    const deployed = await json('deploy', site('public', files), '--project', 'paws')
    expect(deployed).toMatchObject({ id: 1, projectId: 1, createdBy: 'command', fileCount: 3, bytes: 16, isLive: true })
    expect(await eventually(async () => Bun.deepEquals(await fetchJson('/projects/1/deploys'), [deployed]))).toBe(true)
    expect(storedFiles()).toHaveLength(3)
    const [entry] = await fetchJson('/audit?limit=1')
    expect(entry).toMatchObject({ action: 'deploy.created', actor: 'command', details: { deployId: 1 } })
    const { code, out, err } = await petstore('deploy', './public/', '--project', 'paws')
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Deploy 2 of Paws is stored: 3 files, 1 kB\.\n.*hosting is off.*--platform-domain.*\n$/)
  })

  test('a folder with one folder in it keeps that folder', async () => {
    const deployed = await json('deploy', site('nested', { 'docs/index.html': 'docs' }), '--project', 'paws')
    const headers = { Authorization: `Bearer ${server.ready.key}` }
    expect(deployed).toMatchObject({ fileCount: 1 })
    expect((await fetch(`${server.ready.url}/v1/projects/1/deploys/${deployed.id}`, { headers })).status).toBe(200)
  })

  test('a website without a home page is published with a warning', async () => {
    site('pages', { 'about.html': 'a' })
    const nested = await petstore('deploy', 'nested', '--project', 'paws')
    const lacking = await petstore('deploy', 'pages', '--project', 'paws', '--json')
    const warning = 'petstore: There is no index.html at the top of the website, so its home page is missing.'
    expect([nested.code, nested.err]).toEqual([0, `${warning} Did you mean the folder of docs/index.html?\n`])
    expect([lacking.code, lacking.err]).toEqual([0, `${warning} Add one.\n`])
    expect(JSON.parse(lacking.out)).toMatchObject({ fileCount: 1, isLive: true })
  })

  test('an archive is published like a folder', async () => {
    writeFileSync(join(folder.path, 'site.zip'), buildZip([{ name: 'site/index.html', content: 'zip' }]))
    writeFileSync(join(folder.path, 'site.tgz'), gzipSync(buildTar([{ name: 'index.html', content: 'tar' }])))
    for (const file of ['site.zip', 'site.tgz']) {
      expect(await json('deploy', file, '--project', 'paws')).toMatchObject({ fileCount: 1, bytes: 3 })
    }
  })

  test('a file that is no archive is rejected, and one that is only named so is called damaged', async () => {
    for (const [name, message] of [
      ['page.html', 'page.html is neither a folder nor a .zip or .tar.gz file.'],
      ['site2.ZIP', 'site2.ZIP is damaged: it does not begin as a .zip or .tar.gz file does.'],
      ['site2.tar.gz', 'site2.tar.gz is damaged: it does not begin as a .zip or .tar.gz file does.'],
    ] as const) {
      writeFileSync(join(folder.path, name), name.endsWith('gz') ? '' : '<h1>')
      const { code, err } = await petstore('deploy', name, '--project', 'paws')
      expect([name, code, err]).toEqual([name, name === 'page.html' ? 2 : 1, expect.stringContaining(message)])
    }
  })

  test('a pipe is rejected at once, whether something writes to it or not', async () => {
    writeFileSync(join(folder.path, 'piped.tgz'), gzipSync(buildTar([{ name: 'index.html', content: 'tar' }])))
    Bun.spawnSync(['mkfifo', join(folder.path, 'pipe.tgz')])
    for (const [name, script] of [
      ['/dev/stdin', 'cat piped.tgz | "$0" deploy /dev/stdin --project paws'],
      ['pipe.tgz', 'exec "$0" deploy pipe.tgz --project paws'],
    ] as const) {
      const child = Bun.spawnSync(['sh', '-c', script, executable], { cwd: folder.path, timeout: 30_000 })
      const message = `${name} is neither a folder nor a file. Save the archive as a file first.`
      expect([child.exitCode, child.stderr.toString()]).toEqual([2, expect.stringContaining(message)])
    }
  })

  test('a path that cannot be deployed exits with 1 and one line, and leaves nothing', async () => {
    const before = [await liveDeploy(), storedFiles()]
    symlinkSync('/etc/passwd', join(folder.path, site('links', { 'a.txt': 'a' }), 'passwd'))
    site('cases', { 'a.txt': 'a', 'A.TXT': 'b' })
    site('backslash', { 'a\\b.txt': 'a' })
    site('hidden', { '.env': 'a' })
    mkdirSync(join(folder.path, 'empty'))
    site('pipe/shop', { 'a.txt': 'a' })
    Bun.spawnSync(['mkfifo', join(folder.path, 'pipe/shop/production.db')])
    writeFileSync(join(folder.path, 'traversal.zip'), buildZip([{ name: '../a', content: 'a' }]))
    const messages = [
      ['links', 'links/passwd is a symbolic link. Replace it by a copy of its target.'],
      ['cases', 'The folder is rejected: its file "a.txt" occurs twice, or differs from another entry in case alone.'],
      ['backslash', 'The folder is rejected: its file "a\\\\b.txt" has a backslash in its name; the separator is /.'],
      ['pipe', 'pipe/shop/production.db is neither a file nor a folder. Remove it.'],
      ['empty', 'empty has no files to deploy.'],
      ['hidden', 'hidden has no files to deploy.'],
      ['none', "none can't be read: there is no such file."],
      ['traversal.zip', 'The archive is rejected: its entry "../a" leads out of the archive.'],
    ] as const
    for (const [source, message] of messages) {
      const { code, out, err } = await petstore('deploy', source, '--project', 'paws')
      expect([source, code, out, err.trimEnd().split('\n').length]).toEqual([source, 1, '', 1])
      expect([source, err]).toEqual([source, expect.stringContaining(message)])
    }
    const unknown = await petstore('deploy', 'public', '--project', 'pows')
    expect([unknown.code, unknown.err]).toEqual([
      1,
      'petstore: There is no project with the slug "pows". Did you mean paws?\n',
    ])
    const added = await petstore('domains', 'add', 'www.shop.example', '--project', 'pows')
    expect([added.code, added.err]).toEqual([unknown.code, unknown.err])
    expect((await petstore('deploy', 'public')).code).toBe(2)
    expect((await petstore('deploy', '', '--project', 'paws')).code).toBe(2)
    expect((await petstore('deploy', 'links/a.txt', '--project', 'paws')).code).toBe(2)
    expect([await liveDeploy(), storedFiles()]).toEqual(before)
  })

  test('a folder that is or contains a data directory is rejected, as is an archive of one', async () => {
    const before = [await liveDeploy(), storedFiles()]
    site('other', { 'index.html': 'a' })
    expect((await petstore('keys', 'create', '--name', 'a', '--data', 'other/shop')).code).toBe(0)
    await petstore('backup', 'create')
    mkdirSync(join(folder.path, '.hidden'))
    symlinkSync(join(folder.path, 'data'), join(folder.path, '.hidden/link'))
    Bun.spawnSync(['tar', '-C', folder.path, '-czf', join(folder.path, 'data.tgz'), 'data'])
    for (const source of ['other', 'data', '.hidden/link', 'data/backups', 'data.tgz']) {
      const { code, out, err } = await petstore('deploy', source, '--project', 'paws')
      expect([source, code, out, err]).toEqual([
        source,
        1,
        '',
        expect.stringContaining('would publish keys and customers'),
      ])
    }
    const response = await fetch(`${server.ready.url}/v1/projects/1/deploys`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.ready.key}`, 'Content-Type': 'application/gzip' },
      body: Bun.file(join(folder.path, 'data.tgz')),
    })
    expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_body'])
    expect([await liveDeploy(), storedFiles()]).toEqual(before)
  })

  test('a folder with too much in it is rejected before anything is stored', async () => {
    site('large', { 'a.bin': '' })
    for (const name of ['a.bin', 'b.bin']) {
      Bun.spawnSync(['truncate', '-s', '300M', join(folder.path, 'large', name)])
    }
    const { code, err } = await petstore('deploy', 'large', '--project', 'paws')
    expect([code, err]).toEqual([1, expect.stringMatching(/large has more than 524288000 bytes\.\n$/)])
    rmSync(join(folder.path, 'large'), { recursive: true })
  })

  test('Ctrl+C leaves the website as it is, and no files and rows', async () => {
    const before = [await liveDeploy(), (await fetchJson('/projects/1/deploys')).length]
    const incoming = () => storedFiles().filter((path) => path.startsWith('incoming'))
    const counts = () => [rowCount("deploys WHERE state = 'preparing'"), rowCount("deploy_files WHERE path = '7.txt'")]
    // During the first files, and after the last one.
    for (const stored of [1, 500]) {
      const files = Array.from({ length: 500 }, (_, n) => [`${n}.txt`, `file ${n} of ${stored}`] as const)
      const source = site(`many-${stored}`, Object.fromEntries(files))
      const kept = storedFiles().length
      // Without the lock the command writes no row, so that it can't end before the signal.
      const lock = new Database(join(folder.path, 'data', 'production.db'), { readwrite: true })
      lock.run('PRAGMA busy_timeout = 20000')
      lock.run('BEGIN IMMEDIATE')
      const child = Bun.spawn([executable, 'deploy', source, '--project', 'paws'], { cwd: folder.path, stderr: 'pipe' })
      while (storedFiles().length < kept + stored) await Bun.sleep(1)
      child.kill('SIGINT')
      lock.close()
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
        1,
        'petstore: Interrupted. The website is as it was before.\n',
      ])
      expect([await liveDeploy(), (await fetchJson('/projects/1/deploys')).length]).toEqual(before)
      expect([incoming(), counts()]).toEqual([[], [0, 0]])
    }
  })

  test('a command and requests that deploy at once all succeed', async () => {
    const archive = buildZip([{ name: 'index.html', content: 'request' }])
    const headers = { Authorization: `Bearer ${server.ready.key}`, 'Content-Type': 'application/zip' }
    const request = async () =>
      (
        await fetch(`${server.ready.url}/v1/projects/1/deploys`, {
          method: 'POST',
          headers,
          body: new Uint8Array(archive),
        })
      ).status
    const [one, two, ...statuses] = await Promise.all([
      petstore('deploy', 'public', '--project', 'paws'),
      petstore('deploy', 'nested', '--project', 'paws'),
      request(),
      request(),
    ])
    expect([one.code, two.code, ...statuses]).toEqual([0, 0, 201, 201])
    const isOneLive = async () => {
      const deploys: { isLive: boolean }[] = await fetchJson('/projects/1/deploys')
      return deploys.filter(({ isLive }) => isLive).length === 1
    }
    expect(await eventually(isOneLive)).toBe(true)
  })
})
