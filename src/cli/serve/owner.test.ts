import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createBrowser } from '../../owner/testing/dashboard.ts'
import { executable, isBuilt } from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'

const workspace = workspacePerTest()

const tokenOf = (url: string | undefined) => url?.split('#token=')[1] ?? ''

describe.skipIf(!isBuilt)('the set-up link', () => {
  test('of an ephemeral server makes the owner, and its pages come from the executable', async () => {
    const { ready } = await workspace.serve(['--ephemeral'])
    const browser = createBrowser(ready.url)
    const { text, headers } = await browser.get('/dashboard/setup')
    expect(headers.get('content-security-policy')).toContain(/csp-nonce" content="([^"]+)"/.exec(text)?.[1] ?? 'none')
    const script = /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? ''
    const asset = await browser.get(script, { 'accept-encoding': 'br' })
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect((await browser.setUp(tokenOf(ready.setupUrl))).status).toBe(200)
    expect((await browser.get('/dashboard/session')).json.account.name).toBe('Store')
  })

  test('is printed by each start until there is an owner, and each link works', async () => {
    const first = await workspace.serve()
    const link = first.ready.setupUrl
    await first.kill()
    const second = await workspace.serve()
    expect(second.ready.setupUrl).toBeDefined()
    const browser = createBrowser(second.ready.url)
    expect((await browser.setUp(tokenOf(link))).status).toBe(200)
    const bearer = await browser.trade()
    await second.kill()
    const third = await workspace.serve()
    expect(third.ready.setupUrl).toBeUndefined()
    const again = createBrowser(third.ready.url)
    for (const [name, value] of browser.cookies) again.cookies.set(name, value)
    expect((await again.get('/dashboard/session')).status).toBe(200)
    const pets = await fetch(`${third.ready.url}/v1/pets`, { headers: { authorization: `Bearer ${bearer}` } })
    expect(pets.status).toBe(401)
  })

  test('is printed for people with the way to open it from another computer', async () => {
    const text = await workspace.startText('--ephemeral')
    expect(text).toMatch(/\n {2}http:\/\/127\.0\.0\.1:(\d+)\/dashboard\/setup#token=[A-Za-z0-9_-]{43}\n/)
    expect(text).toMatch(/\n {2}ssh -L (\d+):127\.0\.0\.1:\1 USER@/)
    expect(text).not.toContain('Then open')
  })
})

describe.skipIf(!isBuilt)('the event stream', () => {
  async function open() {
    const server = await workspace.serve()
    const browser = createBrowser(server.ready.url)
    await browser.setUp(tokenOf(server.ready.setupUrl))
    const { body } = await browser.open('/dashboard/live')
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    /** Reads until the text contains `part`, or the end of the stream without one. */
    async function read(part?: string): Promise<string> {
      for (;;) {
        if (part !== undefined && text.includes(part)) return text
        const { value, done } = await reader.read()
        if (done) return text
        text += new TextDecoder().decode(value)
      }
    }
    await read(': connected')
    return { ...server, read }
  }

  test('reports what a command has changed', async () => {
    const { read } = await open()
    expect((await workspace.run('keys', 'create', '--name', 'Partner')).code).toBe(0)
    expect(await read('"keys"')).toContain('data: {"topics":[')
  })

  test('ends first at SIGTERM, while another request is still arriving', async () => {
    const { read, ready, process, signal } = await open()
    let finish: () => void = () => {}
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"name":"Ada",'))
        finish = () => {
          controller.enqueue(new TextEncoder().encode('"categoryId":1}'))
          controller.close()
        }
      },
    })
    const headers = { Authorization: `Bearer ${ready.key}`, 'Content-Type': 'application/json' }
    const creating = fetch(`${ready.url}/v1/pets`, { method: 'POST', headers, body })
    await fetch(`${ready.url}/healthz`)
    signal('SIGTERM')
    await read()
    expect(process.exitCode).toBeNull()
    finish()
    expect((await creating).status).toBe(201)
    expect(await process.exited).toBe(0)
  })
})

describe.skipIf(!isBuilt)('petstore owner reset', () => {
  test('beside a running server signs everybody out and prints a link that works', async () => {
    const { ready } = await workspace.serve()
    const browser = createBrowser(ready.url)
    await browser.setUp(tokenOf(ready.setupUrl))
    const bearer = await browser.trade()
    const { code, out } = await workspace.run('owner', 'reset', '--json')
    expect(code).toBe(0)
    const { setupUrl } = JSON.parse(out)
    expect(setupUrl).toStartWith(`${ready.url}/dashboard/setup#token=`)
    expect((await browser.get('/dashboard/session')).json).toMatchObject({ code: 'signed_out', hasOwner: false })
    const { status } = await fetch(`${ready.url}/v1/pets`, { headers: { authorization: `Bearer ${bearer}` } })
    expect(status).toBe(401)
    expect((await browser.setUp(tokenOf(setupUrl))).status).toBe(200)
  })

  test('prints what a first start prints: the link at the listener and the SSH tunnel too', async () => {
    const hosting = ['--platform-domain', 'stores.example', '--dns-resolver', '127.0.0.1:9', '--http-port', '0']
    const { ready } = await workspace.serve([...hosting, '--https-port', 'off', '--trusted-proxy', '127.0.0.1'])
    const { out } = await workspace.run('owner', 'reset')
    const [published = '', local = ''] = out.match(/\S+#token=\S+/g) ?? []
    expect(published).toStartWith('https://api.stores.example/dashboard/setup#token=')
    expect(local).toBe(`${ready.url}/dashboard/setup#token=${tokenOf(published)}`)
    expect(out).toContain(`While that address does not work yet:\n\n  ${local}\n`)
    const tunnel = `ssh -L ${ready.port}:127.0.0.1:${ready.port} USER@`
    expect(out).toContain(`first run this there and leave it running:\n\n  ${tunnel}`)
    const json = JSON.parse((await workspace.run('owner', 'reset', '--json')).out)
    expect(json).toEqual({
      setupUrl: expect.stringMatching(/^https:\/\/api\.stores\.example\/dashboard\/setup#token=/),
      localSetupUrl: `${ready.url}/dashboard/setup#token=${tokenOf(json.setupUrl)}`,
      tunnel: { command: expect.stringContaining(tunnel), setupUrl: json.localSetupUrl },
    })
  })

  test('changes nothing if the link cannot be printed', async () => {
    const { ready } = await workspace.serve()
    const browser = createBrowser(ready.url)
    await browser.setUp(tokenOf(ready.setupUrl))
    for (const [redirection, reason] of [
      ['>/dev/full', "The output can't be written: the disk is full. The owner and the password are as before."],
      ['>&-', 'The output is closed or /dev/null, so the set-up link would be lost. Nothing was changed'],
    ]) {
      const script = `exec "$0" owner reset ${redirection}`
      const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', script, executable], { cwd: workspace.path })
      expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining(reason ?? '')])
    }
    const stored = new Database(join(workspace.path, 'data/production.db'), { readonly: true })
    expect(stored.query('SELECT email FROM owner').values()).toHaveLength(1)
    stored.close()
    expect((await browser.get('/dashboard/session')).status).toBe(200)
  })

  test.skipIf(!mountDisk.isPossible)('on a full disk prints no link and changes nothing', async () => {
    const disk = mountDisk(join(workspace.path, 'data'), 8_000_000)
    try {
      const { ready, stop } = await workspace.serve()
      await createBrowser(ready.url).setUp(tokenOf(ready.setupUrl))
      await stop()
      disk.fill()
      const { code, out, err } = await workspace.run('owner', 'reset')
      expect([code, out, err]).toEqual([1, '', expect.stringContaining('Nothing was changed; free some space')])
    } finally {
      disk.unmount()
    }
  })

  test('without a store creates nothing and fails', async () => {
    const { code, err } = await workspace.run('owner', 'reset')
    expect([code, err]).toMatchObject([1, expect.stringContaining('There is no store')])
  })
})
