import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createManualClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { emptyFolder, executable, isBuilt, makeStore, runPetstore } from '../testing/executable.ts'
import { sendRaw } from '../testing/send-raw.ts'
import { createRequestLog } from './request-log.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

/** Starts `petstore serve --log-level debug`; `stop` resolves to the lines that it logged about requests. */
async function serve(args: readonly string[]) {
  const child = Bun.spawn([executable, 'serve', '--port', '0', '--log-level', 'debug', ...args], {
    cwd: folder.path,
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errors = new Response(child.stderr).text()
  const reader = child.stdout.getReader()
  let text = ''
  while (!/127\.0\.0\.1:\d+/.test(text)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`petstore did not start: ${await errors}`)
    text += new TextDecoder().decode(value)
  }
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(text)?.[1])
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async stop(): Promise<string[]> {
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      return (await errors).split('\n').filter((line) => /\brequest(?: |",)/.test(line))
    },
  }
}

test('there is no request log unless the level is debug', () => {
  const clock = createManualClock(0)
  const log = createLog({ level: 'info', json: false, now: clock.now, write: () => {} })
  expect(createRequestLog({ log, clock })).toBeUndefined()
})

test('a line has the time from the head of the request to its response', () => {
  const clock = createManualClock(0)
  const lines: string[] = []
  const log = createLog({ level: 'debug', json: false, now: clock.now, write: (line) => lines.push(line) })
  const context = {
    peer: { requestIP: () => null },
    startedMs: clock.monotonic(),
    hasInvalidHost: false,
    isSecure: false,
    operation: undefined,
    requestId: 'req_1',
    keyId: 7,
    errorCode: undefined,
  }
  clock.advance(12.5)
  createRequestLog({ log, clock })?.(new Request('http://a/b/c?key=x', { method: 'PUT' }), context, 200)
  const [line = ''] = lines
  expect(line.slice(line.indexOf('debug'))).toBe(
    'debug request requestId=req_1 keyId=7 method=PUT path=/b/c status=200 durationMs=12.5\n',
  )
})

describe.skipIf(!isBuilt)('petstore serve', () => {
  test.each([true, false])('logs one line for each request at the level debug (JSON: %p)', async (isJson) => {
    makeStore(folder.path)
    const created = await runPetstore(['keys', 'create', '--name', 'Log', '--json'], { cwd: folder.path })
    const { key, id } = JSON.parse(created.out) as { key: string; id: number }
    const child = await serve(isJson ? ['--json'] : [])
    await fetch(`${child.url}/v1/pets?q=secretquery`, { headers: { Authorization: `Bearer ${key}` } })
    await fetch(`${child.url}/v1/keys?x=secretquery`, { headers: { Authorization: `Bearer ${key}` } })
    await fetch(`${child.url}/v1/pets?key=${key}`)
    await fetch(`${child.url}/healthz`)
    await sendRaw(
      child.port,
      'GET /v1/\xc2\x9b31m\xe2\x80\xae?secretquery HTTP/1.1\r\nHost: x:99999999\r\nConnection: close\r\n\r\n',
    )
    const lines = await child.stop()
    expect(lines.length).toBe(5)
    const duration = isJson ? /"durationMs":[\d.]+\}$/ : / durationMs=[\d.]+$/
    for (const line of lines) expect(line).toMatch(duration)
    const words = isJson
      ? [
          `"requestId":"req_.*","keyId":${id},"method":"GET","operation":"listPets","status":200,`,
          `"requestId":"req_.*","keyId":${id},"method":"GET","operation":"listKeys","status":403,"code":"insufficient_scope",`,
          `"requestId":"req_.*","method":"GET","path":"/v1/pets","status":401,"code":"missing_api_key",`,
          `"method":"GET","operation":"healthz","status":200,`,
          `"path":"/v1/%C2%9B31m%E2%80%AE","status":401,`,
        ]
      : [
          `request requestId=req_.* keyId=${id} method=GET operation=listPets status=200 `,
          `request requestId=req_.* keyId=${id} method=GET operation=listKeys status=403 code=insufficient_scope `,
          'request requestId=req_.* method=GET path=/v1/pets status=401 code=missing_api_key ',
          'request method=GET operation=healthz status=200 ',
          'path=/v1/%C2%9B31m%E2%80%AE status=401 ',
        ]
    for (const [i, word] of words.entries()) expect(lines[i]).toMatch(new RegExp(word))
    expect(lines.join('\n')).not.toContain('secretquery')
    expect(lines.join('\n')).not.toContain(key)
  })
})
