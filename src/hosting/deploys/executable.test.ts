import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { filesBelow } from '../../lib/contents/testing/content-store.ts'
import {
  emptyFolder,
  isBuilt,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { buildZip } from './testing/zip.ts'

let folder: ReturnType<typeof emptyFolder>
let server: PetstoreProcess
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(async () => {
  await server?.kill()
  folder.remove()
})

const serve = async (...args: string[]) => {
  server = await startPetstoreProcess(args, { cwd: folder.path, env: { TMPDIR: folder.path } })
  return server
}
let key = ''
const call = async (method: string, path: string, type = 'application/json', body?: string | Uint8Array) => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type }
  const init = { method, headers, ...(body === undefined ? {} : { body: body as BodyInit }) }
  const response = await fetch(`${server.ready.url}/v1${path}`, init)
  return { status: response.status, headers: response.headers, json: await response.json() }
}
const start = async (...args: string[]) => {
  await serve(...args)
  key = server.ready.key ?? ''
  await call('POST', '/projects', 'application/json', '{"name":"Paws"}')
}
const zip = (content: string | Uint8Array): Buffer => buildZip([{ name: 'index.html', content, isStored: true }])
const deploy = (archive: Uint8Array) => call('POST', '/projects/1/deploys', 'application/zip', new Uint8Array(archive))
const stored = (directory = join(folder.path, 'data')) => filesBelow(join(directory, 'production-files'))

const accepts = () =>
  fetch(`${server.ready.url}/healthz`).then(
    () => true,
    () => false,
  )

/** Sends the beginning of an upload on a separate connection. */
async function beginUpload(archive: Buffer, bytes: number) {
  const socket = connect(server.ready.port, '127.0.0.1')
  socket.on('error', () => {})
  const received: Buffer[] = []
  socket.on('data', (data) => void received.push(Buffer.from(data)))
  const head = [
    'POST /v1/projects/1/deploys HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/zip',
    `Content-Length: ${archive.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(archive.subarray(0, bytes))
  while (!stored().some((path) => path.endsWith('temporary'))) await Bun.sleep(5)
  return { socket, received: () => Buffer.concat(received).toString() }
}

describe.skipIf(!isBuilt)('deploys of the executable', () => {
  test('a server that is killed during an upload leaves nothing after its next start', async () => {
    await start()
    await deploy(zip('one'))
    await beginUpload(zip('x'.repeat(100_000)), 50_000)
    expect(stored()).toHaveLength(2)
    await server.kill()
    expect(stored()).toHaveLength(2)
    await serve()
    while (stored().length > 1) await Bun.sleep(10)
    expect((await call('GET', '/projects/1/deploys')).json).toMatchObject([{ id: 1, isLive: true }])
  })

  test('a client that goes away during an upload leaves nothing', async () => {
    await start()
    const { socket } = await beginUpload(zip('x'.repeat(100_000)), 50_000)
    socket.destroy()
    while (stored().length > 0) await Bun.sleep(10)
    expect((await call('GET', '/projects/1/deploys')).json).toEqual([])
  })

  test('a deploy that is being uploaded when the server is stopped is finished', async () => {
    await start()
    const archive = zip('x'.repeat(100_000))
    const { socket, received } = await beginUpload(archive, 50_000)
    const stopping = server.stop()
    while (await accepts()) await Bun.sleep(5)
    socket.write(archive.subarray(50_000))
    expect(await stopping).toBe(0)
    expect(received()).toStartWith('HTTP/1.1 201 Created')
    await serve()
    expect((await call('GET', '/projects/1')).json.liveDeploy).toMatchObject({ id: 1 })
  })

  test('a website is served on the public port from the first deploy on, also by a command, and after a restart', async () => {
    const hosting = ['--platform-domain', 'stores.example', '--public-host', '127.0.0.1', '--http-port', '0']
    const options = [...hosting, '--https-port', 'off', '--trusted-proxy', '127.0.0.1']
    await start(...options)
    const site = async (path = '/') => {
      const headers = { Host: 'paws.stores.example', 'X-Forwarded-Proto': 'https' }
      const response = await fetch(`http://127.0.0.1:${server.ready.httpPort}${path}`, { headers })
      return [response.status, await response.text()]
    }
    expect((await call('GET', '/projects/1')).json).toMatchObject({
      url: 'https://paws.stores.example',
      cnameTarget: expect.stringMatching(/^[0-9a-f]{32}\.edge\.stores\.example$/),
    })
    expect(await site()).toEqual([404, expect.stringContaining('Nothing published here yet')])
    expect((await deploy(zip('one'))).status).toBe(201)
    expect(await site()).toEqual([200, 'one'])
    mkdirSync(join(folder.path, 'public'))
    writeFileSync(join(folder.path, 'public/index.html'), 'two')
    const { out } = await runPetstore(['deploy', 'public', '--project', 'paws'], { cwd: folder.path })
    expect(out).toEndWith('\nhttps://paws.stores.example\n')
    for (const endMs = performance.now() + 20_000; performance.now() < endMs; await Bun.sleep(50)) {
      if ((await site())[1] === 'two') break
    }
    expect(await site()).toEqual([200, 'two'])
    expect((await call('POST', '/projects/1/deploys/1/promote')).status).toBe(200)
    expect(await site()).toEqual([200, 'one'])
    await server.kill()
    await serve(...options)
    expect([await site(), (await site('/none'))[0]]).toEqual([[200, 'one'], 404])
  })

  test('--ephemeral keeps files in a temporary directory that is gone at exit, also of a process that was killed', async () => {
    const directories = () => readdirSync(folder.path).filter((name) => name.startsWith('petstore-ephemeral-'))
    await start('--ephemeral')
    expect(directories()).toEqual([])
    expect((await deploy(zip('one'))).status).toBe(201)
    expect(directories()).toHaveLength(1)
    expect(await server.stop()).toBe(0)
    expect(directories()).toEqual([])

    await start('--ephemeral')
    await deploy(zip('one'))
    expect(directories()).toHaveLength(1)
    await server.kill()
    while (directories().length > 0) await Bun.sleep(10)
  })
})

describe.skipIf(!isBuilt || !mountDisk.isPossible)('on a disk that is nearly full', () => {
  test('a deploy is rejected in clear words, and everything else works', async () => {
    const data = join(folder.path, 'disk')
    mkdirSync(data)
    const disk = mountDisk(data, 60_000_000)
    try {
      await start('--data', data)
      expect((await deploy(zip('small'))).status).toBe(201)
      const before = stored(data)
      const large = crypto.getRandomValues(new Uint8Array(65_536))
      const rejected = [
        // First there is no space for the archive; then there is, but not for its files.
        zip(Buffer.concat(Array(900).fill(large))),
        zip(Buffer.concat(Array(600).fill(large))),
      ]
      for (const archive of rejected) {
        const uploading = deploy(archive)
        const pets = []
        for (let n = 0; n < 20; n++) {
          pets.push((await call('POST', '/pets', 'application/json', '{"name":"Rex","categoryId":1}')).status)
        }
        const response = await uploading
        expect([response.status, response.json]).toMatchObject([503, { code: 'storage_unavailable' }])
        expect(response.json.message).toMatch(
          /^The disk .* is too full for this upload, .* Nothing was changed; free some space/,
        )
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(pets).toEqual(Array(20).fill(201))
        expect(stored(data)).toEqual(before)
      }
      expect((await fetch(`${server.ready.url}/readyz`)).status).toBe(200)
      expect((await call('GET', '/projects/1')).json.liveDeploy).toMatchObject({ id: 1 })
      expect((await deploy(zip('small again'))).status).toBe(201)
      const filler = disk.fill()
      const full = await deploy(zip('no room at all'))
      expect([full.status, full.json.message]).toEqual([
        503,
        expect.stringMatching(/^The disk .* is full\. Nothing was changed; free some space on it and try again\.$/),
      ])
      rmSync(filler)
      // The service notices within a second or two.
      while ((await deploy(zip('room again'))).status !== 201) await Bun.sleep(200)
    } finally {
      await server.kill()
      disk.unmount()
    }
  })
})
