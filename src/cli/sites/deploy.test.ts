import { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildTar } from '../../hosting/deploys/testing/tar.ts'
import { buildZip } from '../../hosting/deploys/testing/zip.ts'
import { filesBelow } from '../../lib/contents/testing/content-store.ts'
import { emptyFolder, executable, isBuilt, makeStore, runPetstore } from '../../testing/executable.ts'
import { serverPerFile } from '../../testing/per-test/workspace.ts'

const { folder, petstore, json, ready, send } = serverPerFile()
beforeAll(async () => {
  if (isBuilt) await petstore('projects', 'create', 'Paws')
})
const fetchJson = async (path: string) => (await send(`/v1${path}`)).json()

/** Writes a folder of files; returns its name. */
function site(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true })
    writeFileSync(join(folder, name, path), content)
  }
  return name
}

const storedFiles = () => filesBelow(join(folder, 'data', 'production-files'))
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
    expect(await fetchJson('/projects/1/deploys')).toEqual([deployed])
    expect(storedFiles()).toHaveLength(3)
    const [entry] = await fetchJson('/audit?limit=1')
    expect(entry).toMatchObject({ action: 'deploy.created', actor: 'command', details: { deployId: 1 } })
    const { code, out, err } = await petstore('deploy', './public/', '--project', 'paws')
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Deploy 2 of Paws is stored: 3 files, 16 bytes\.\n.*hosting is off.*--platform-domain.*\n$/)
  })

  test('a folder with one folder in it keeps that folder', async () => {
    const deployed = await json('deploy', site('nested', { 'docs/index.html': 'docs' }), '--project', 'paws')
    expect(deployed).toMatchObject({ fileCount: 1 })
    expect((await send(`/v1/projects/1/deploys/${deployed.id}`)).status).toBe(200)
  })

  test('a website without a home page is published with a warning', async () => {
    site('pages', { 'about.html': 'a' })
    const nested = await petstore('deploy', 'nested', '--project', 'paws')
    const lacking = await petstore('deploy', 'pages', '--project', 'paws', '--json')
    const warning = 'petstore: There is no index.html at the top of the website, so its home page is missing.'
    expect([nested.code, nested.err]).toEqual([0, `${warning} Did you mean the folder of docs/index.html?\n`])
    expect([lacking.code, lacking.err]).toEqual([0, `${warning} Add one.\n`])
    expect(JSON.parse(lacking.out)).toMatchObject({ fileCount: 1, isLive: true, hasHomePage: false })
    writeFileSync(join(folder, 'bare.zip'), buildZip([{ name: 'about.html', content: 'a' }]))
    const bare = await petstore('deploy', 'bare.zip', '--project', 'paws')
    expect([bare.code, bare.err]).toEqual([0, `${warning} Add one.\n`])
  })

  test('an archive is published like a folder', async () => {
    writeFileSync(join(folder, 'site.zip'), buildZip([{ name: 'site/index.html', content: 'zip' }]))
    writeFileSync(join(folder, 'site.tgz'), gzipSync(buildTar([{ name: 'index.html', content: 'tar' }])))
    for (const file of ['site.zip', 'site.tgz']) {
      expect(await json('deploy', file, '--project', 'paws')).toMatchObject({ fileCount: 1, bytes: 3 })
    }
  })

  test('a file that is not an archive is rejected, and one that only has the name of an archive is called damaged', async () => {
    for (const [name, message] of [
      ['page.html', 'page.html is neither a folder nor a .zip or .tar.gz file.'],
      ['site2.ZIP', 'site2.ZIP is damaged: it does not begin as a .zip or .tar.gz file does.'],
      ['site2.tar.gz', 'site2.tar.gz is damaged: it does not begin as a .zip or .tar.gz file does.'],
    ] as const) {
      writeFileSync(join(folder, name), name.endsWith('gz') ? '' : '<h1>')
      const { code, err } = await petstore('deploy', name, '--project', 'paws')
      expect([name, code, err]).toEqual([name, name === 'page.html' ? 2 : 1, expect.stringContaining(message)])
    }
  })

  test('a pipe is rejected at once, whether something writes to it or not', async () => {
    writeFileSync(join(folder, 'piped.tgz'), gzipSync(buildTar([{ name: 'index.html', content: 'tar' }])))
    Bun.spawnSync(['mkfifo', join(folder, 'pipe.tgz')])
    for (const [name, script] of [
      ['/dev/stdin', 'cat piped.tgz | "$0" deploy /dev/stdin --project paws'],
      ['pipe.tgz', 'exec "$0" deploy pipe.tgz --project paws'],
    ] as const) {
      const child = Bun.spawnSync(['sh', '-c', script, executable], { cwd: folder, timeout: 30_000 })
      const message = `${name} is neither a folder nor a file. Save the archive as a file first.`
      expect([child.exitCode, child.stderr.toString()]).toEqual([2, expect.stringContaining(message)])
    }
  })

  test('a path that cannot be deployed exits with 1 and one line, and leaves nothing', async () => {
    const before = [await liveDeploy(), storedFiles()]
    symlinkSync('/etc/passwd', join(folder, site('links', { 'a.txt': 'a' }), 'passwd'))
    site('cases', { 'a.txt': 'a', 'A.TXT': 'b' })
    site('backslash', { 'a\\b.txt': 'a' })
    site('hidden', { '.env': 'a' })
    mkdirSync(join(folder, 'empty'))
    site('pipe/shop', { 'a.txt': 'a' })
    Bun.spawnSync(['mkfifo', join(folder, 'pipe/shop/production.db')])
    writeFileSync(join(folder, 'traversal.zip'), buildZip([{ name: '../a', content: 'a' }]))
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
    makeStore(folder, { data: 'other/shop' })
    await petstore('backup', 'create')
    mkdirSync(join(folder, '.hidden'))
    symlinkSync(join(folder, 'data'), join(folder, '.hidden/link'))
    Bun.spawnSync(['tar', '-C', folder, '-czf', join(folder, 'data.tgz'), 'data'])
    mkdirSync(join(folder, 'kept/production-certificates'), { recursive: true })
    writeFileSync(join(folder, 'kept/production-certificates/a.key'), 'private')
    writeFileSync(join(folder, 'kept/production-secrets.json'), '{}')
    Bun.spawnSync(['tar', '-C', folder, '-czf', join(folder, 'kept.tgz'), 'kept'])
    const secret = ['kept', 'kept/production-certificates', 'kept.tgz']
    for (const source of ['other', 'data', '.hidden/link', 'data/backups', 'data.tgz', ...secret]) {
      const { code, out, err } = await petstore('deploy', source, '--project', 'paws')
      expect([source, code, out, err]).toEqual([
        source,
        1,
        '',
        expect.stringContaining('would publish keys and customers'),
      ])
    }
    const response = await send('/v1/projects/1/deploys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/gzip' },
      body: Bun.file(join(folder, 'data.tgz')),
    })
    expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_body'])
    expect([await liveDeploy(), storedFiles()]).toEqual(before)
  })

  test('a folder is published from another machine with a key, if its archive is not too large', async () => {
    const env = { PETSTORE_KEY: ready().key ?? '', PETSTORE_URL: ready().url }
    const own = emptyFolder()
    mkdirSync(join(own.path, 'site'))
    writeFileSync(join(own.path, 'site/index.html'), 'remote')
    const deploy = () => runPetstore(['deploy', 'site', '--project', 'paws', '--json'], { cwd: own.path, env })
    const { code, out, err } = await deploy()
    expect([code, err]).toEqual([0, `petstore: The store is ${ready().url}/v1.\n`])
    expect(JSON.parse(out)).toMatchObject({ fileCount: 1, bytes: 6, createdBy: expect.stringMatching(/^key:/) })
    const before = [await liveDeploy(), storedFiles()]
    const random = new Uint8Array(1_048_576)
    for (let n = 0; n < 101; n++) {
      for (let at = 0; at < random.length; at += 65_536) crypto.getRandomValues(random.subarray(at, at + 65_536))
      writeFileSync(join(own.path, `site/${n}.bin`), random)
    }
    const large = await deploy()
    expect([large.code, large.err.split('\n').at(1)]).toEqual([
      1,
      'petstore: The packed folder has more than 104857600 bytes.',
    ])
    expect([await liveDeploy(), storedFiles()]).toEqual(before)
    own.remove()
  })

  test('a folder with too much in it is rejected before anything is stored', async () => {
    site('large', { 'a.bin': '' })
    for (const name of ['a.bin', 'b.bin']) {
      Bun.spawnSync(['truncate', '-s', '300M', join(folder, 'large', name)])
    }
    const { code, err } = await petstore('deploy', 'large', '--project', 'paws')
    expect([code, err]).toEqual([1, expect.stringMatching(/large has more than 524288000 bytes\.\n$/)])
    rmSync(join(folder, 'large'), { recursive: true })
  })

  test('a command and requests that deploy at once all succeed', async () => {
    const archive = buildZip([{ name: 'index.html', content: 'request' }])
    const headers = { 'Content-Type': 'application/zip' }
    const request = async () =>
      (
        await send('/v1/projects/1/deploys', {
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
    const deploys: { isLive: boolean }[] = await fetchJson('/projects/1/deploys')
    expect(deploys.filter(({ isLive }) => isLive)).toHaveLength(1)
  })

  test('names that do not fit into a tar header, times and sizes arrive', async () => {
    const long = `${'d'.repeat(120)}/${'f'.repeat(200)}.txt`
    const files = { 'index.html': 'x'.repeat(1_024), [long]: 'long', 'bücher/Ünï – ☂.txt': 'umbrella', 'empty.txt': '' }
    const source = site('names', files)
    utimesSync(join(folder, source, 'index.html'), 1_600_000_000, 1_600_000_000)
    const { id } = await json('deploy', source, '--project', 'paws')
    using database = new Database(join(folder, 'data', 'production.db'), { readonly: true })
    const rows = database.query('SELECT path, size, modified_at FROM deploy_files WHERE deploy_id = ?').values(id)
    expect(rows.map(([path, size]) => [path, size]).sort()).toEqual(
      Object.entries(files)
        .map(([path, content]) => [path, content.length])
        .sort(),
    )
    expect(rows.find(([path]) => path === 'index.html')?.[2]).toBe(1_600_000_000_000)
  })
})

describe.skipIf(!isBuilt)('petstore deploy, without a server', () => {
  test('publishes in its own process, and leaves nothing behind after a folder that is rejected', async () => {
    const own = emptyFolder()
    const run = (...args: string[]) => runPetstore(args, { cwd: own.path })
    makeStore(own.path)
    await run('keys', 'create', '--name', 'Shop')
    await run('projects', 'create', 'Shop')
    const stored = () => filesBelow(join(own.path, 'data', 'production-files'))
    mkdirSync(join(own.path, 'site'))
    writeFileSync(join(own.path, 'site/index.html'), 'Shop')
    const { code, out } = await run('deploy', 'site', '--project', 'shop')
    expect([code, out]).toEqual([0, expect.stringContaining('Deploy 1 of Shop is stored: 1 file')])
    expect(stored()).toHaveLength(1)
    writeFileSync(join(own.path, 'site/INDEX.HTML'), 'Shop')
    expect((await run('deploy', 'site', '--project', 'shop')).code).toBe(1)
    expect(stored()).toHaveLength(1)
    own.remove()
  })
})

/**
 * A server on the socket of a store that knows one project, and leaves what follows the header of an upload to
 * `onUpload`.
 */
async function fakeServer(onUpload: (socket: Socket) => void) {
  const own = emptyFolder()
  makeStore(own.path)
  const project = JSON.stringify([{ id: 1, slug: 'shop', name: 'Shop', url: null }])
  const listener = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      if (data.toString('latin1').startsWith('POST')) return onUpload(socket)
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${project.length}\r\nConnection: close\r\n\r\n${project}`)
    })
  })
  await new Promise<void>((resolve) => listener.listen(join(own.path, 'data/production.sock'), resolve))
  mkdirSync(join(own.path, 'site'))
  writeFileSync(join(own.path, 'site/index.html'), crypto.getRandomValues(new Uint8Array(65_536)))
  for (let n = 0; n < 200; n++) {
    writeFileSync(join(own.path, `site/${n}.bin`), crypto.getRandomValues(new Uint8Array(65_536)))
  }
  return {
    deploy: () => Bun.spawn([executable, 'deploy', 'site', '--project', 'shop'], { cwd: own.path, stderr: 'pipe' }),
    async [Symbol.asyncDispose]() {
      listener.close()
      own.remove()
    },
  }
}

describe.skipIf(!isBuilt)('petstore deploy', () => {
  const resultOf = async (child: ReturnType<Awaited<ReturnType<typeof fakeServer>>['deploy']>) => [
    await child.exited,
    await new Response(child.stderr).text(),
  ]

  test('ends with Ctrl+C during the upload, and leaves the website unchanged', async () => {
    const begun = Promise.withResolvers<void>()
    await using server = await fakeServer((socket) => {
      socket.pause()
      begun.resolve()
    })
    const child = server.deploy()
    await begun.promise
    child.kill('SIGINT')
    expect(await resultOf(child)).toEqual([1, 'petstore: Interrupted. The website is unchanged.\n'])
  })

  test('says with Ctrl+C after the upload that the service may continue', async () => {
    const received = Promise.withResolvers<void>()
    await using server = await fakeServer((socket) => {
      let end = ''
      socket.on('data', (data) => {
        end = (end + data.toString('latin1')).slice(-5)
        if (end === '0\r\n\r\n') received.resolve()
      })
    })
    const child = server.deploy()
    await received.promise
    child.kill('SIGINT')
    const message = 'petstore: Interrupted. The service may still publish what it has received.\n'
    expect(await resultOf(child)).toEqual([1, message])
  })

  test('ends with one line when the server ends during the upload', async () => {
    await using server = await fakeServer((socket) => void socket.destroy())
    const [code, err] = await resultOf(server.deploy())
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^petstore: The server ended before its response was complete\. [^\n]+\n$/),
    ])
  })
})
