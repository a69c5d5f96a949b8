import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManualClock } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { emptyFolder, executable, isBuilt } from '../../testing/executable.ts'
import type { CheckOptions } from '../request.ts'
import { startDnsServer, type TestServer } from '../testing/dns-server.ts'
import { type Checker, checkHere, createChecker, idleMs } from './start.ts'

// A random loopback address, whose ports nobody else uses.
const address = `127.54.${crypto.getRandomValues(new Uint8Array(2)).join('.')}`

let folder: ReturnType<typeof emptyFolder>
let clock: ReturnType<typeof createManualClock>
let silent: TestServer
let options: CheckOptions
let warnings: string[]
let checker: Checker | undefined
beforeEach(async () => {
  folder = emptyFolder()
  clock = createManualClock(Date.UTC(2026, 10, 21))
  silent = await startDnsServer(address, () => 'silence')
  options = { resolvers: [silent], allowPrivateAddresses: true }
  warnings = []
})
afterEach(async () => {
  await checker?.close()
  checker = undefined
  silent.close()
  folder.remove()
})

const variables = { PATH: process.env['PATH'], KNOWN: 'yes' }

/** A checker whose process is the executable, or a shell script. Each process writes its id to a file first. */
function create(script = `exec ${executable} "$0" "$@"`): Checker {
  const self = ['sh', '-c', `echo $$ >> ${join(folder.path, 'pids')}; ${script}`]
  const log = createLog({ level: 'warn', json: false, now: () => 0, write: (line) => warnings.push(line) })
  checker = createChecker({ self, variables, clock, log })
  return checker
}

const processes = () => {
  const file = join(folder.path, 'pids')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
}
const isRunning = (pid: number) => existsSync(`/proc/${pid}`)
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5)
}

const name = { hostname: 'www.kiosk.example' }
const interrupted = { routing: 'unknown', caa: 'unknown', ownership: 'unknown', findings: [{ code: 'dns_timeout' }] }

/** Starts a check that waits for a silent server, in a process that has begun with it. */
async function checkSlowly(signal?: AbortSignal) {
  const before = silent.queries.length
  const check = checker?.check(name, signal ? { ...options, signal } : options)
  await until(() => silent.queries.length > before)
  return { check, pid: processes().at(-1) ?? 0 }
}

describe.skipIf(!isBuilt)('the process that checks names', () => {
  test('does not run in the directory in which the server was started, which may be deleted', async () => {
    const file = join(folder.path, 'directory')
    const { check } = create(`pwd > ${file}; exit 1`)
    await check(name, { ...options, limits: { udpTimeoutsMs: [1], tcpTimeoutMs: 1 } })
    expect(readFileSync(file, 'utf8')).toBe('/\n')
  })

  test('has the variables of the server, and compiles nothing in threads beside it', async () => {
    const file = join(folder.path, 'variables')
    const { check } = create(`env > ${file}; exit 1`)
    await check(name, { ...options, limits: { udpTimeoutsMs: [1], tcpTimeoutMs: 1 } })
    expect(readFileSync(file, 'utf8').split('\n')).toEqual(expect.arrayContaining(['KNOWN=yes', 'BUN_JSC_useDFGJIT=0']))
  })

  test('has the same results as a check in the server, without the responses of all servers', async () => {
    const { check } = create()
    const quick = { ...options, limits: { udpTimeoutsMs: [50], tcpTimeoutMs: 50 } }
    for (const hostname of ['www.kiosk.example', 'a..b', 'co.uk', 'x.stores.example']) {
      const request = { hostname, platformDomains: ['stores.example'], publicAddresses: ['192.0.2.10'] }
      const { routing, ownership, caa, findings } = await checkHere(request, quick)
      expect(await check(request, quick)).toMatchObject({ routing, ownership, caa, findings: [...findings] })
    }
    expect(await check(name, quick)).not.toHaveProperty('lookups')
    expect(processes()).toHaveLength(1)
    expect(warnings).toEqual([])
  })

  test('is started for the first check and ends ten seconds after the last one', async () => {
    const { check } = create()
    expect(processes()).toEqual([])
    const results = await Promise.all(['a..b', 'b..c', 'c..d'].map((hostname) => check({ hostname }, options)))
    expect(results.map(({ hostname }) => hostname)).toEqual(['a..b', 'b..c', 'c..d'])
    clock.advance(idleMs - 500)
    await check({ hostname: 'd..e' }, options)
    clock.advance(idleMs - 1)
    const [pid = 0, ...others] = processes()
    expect([isRunning(pid), others]).toEqual([true, []])
    clock.advance(1)
    await until(() => !isRunning(pid))
    expect((await check({ hostname: 'e..f' }, options)).findings).toMatchObject([{ code: 'invalid_hostname' }])
    expect([processes().length, warnings]).toEqual([2, []])
  })

  test('has a lower priority than the server', async () => {
    await create().check({ hostname: 'a..b' }, options)
    // The 19th field: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    expect(readFileSync(`/proc/${processes()[0]}/stat`, 'utf8').split(' ')[18]).toBe('10')
  })

  test('that is killed leaves its checks unknown, and the next check has a new one', async () => {
    const { check } = create()
    const { check: slow, pid } = await checkSlowly()
    process.kill(pid, 'SIGKILL')
    expect(await slow).toMatchObject(interrupted)
    expect(warnings).toEqual([expect.stringMatching(/ended: its checks are made again.*SIGKILL/)])
    expect((await check({ hostname: 'a..b' }, options)).routing).toBe('failed')
    expect(processes()).toHaveLength(2)
  })

  test('that hangs is ended after the time of a check and five seconds, which leaves its checks unknown', async () => {
    create()
    const { check, pid } = await checkSlowly()
    process.kill(pid, 'SIGSTOP')
    clock.advance(19_999)
    expect(isRunning(pid)).toBe(true)
    clock.advance(1)
    expect(await check).toMatchObject(interrupted)
    expect([isRunning(pid), warnings.length]).toEqual([false, 1])
    expect(warnings[0]).toContain('does not respond')
  })

  test('stops a check that is aborted, and goes on with the others', async () => {
    const { check } = create()
    const controller = new AbortController()
    const { check: slow } = await checkSlowly(controller.signal)
    controller.abort()
    expect(await slow).toMatchObject(interrupted)
    expect(await check(name, { ...options, signal: controller.signal })).toMatchObject(interrupted)
    expect((await check({ hostname: 'a..b' }, options)).routing).toBe('failed')
    expect(processes()).toHaveLength(1)
  })

  test('ends with the server, and no check begins afterwards', async () => {
    create()
    const { check, pid } = await checkSlowly()
    await checker?.close()
    expect([isRunning(pid), warnings]).toEqual([false, []])
    expect(await check).toMatchObject({ routing: 'unknown', complete: false })
    expect(await checker?.check({ hostname: 'a..b' }, options)).toMatchObject(interrupted)
    expect(processes()).toHaveLength(1)
  })

  test('that has not begun holds up neither an aborted check nor the end of the server', async () => {
    create('exec cat > /dev/null')
    const controller = new AbortController()
    const aborted = checker?.check(name, { ...options, signal: controller.signal })
    const other = checker?.check({ hostname: 'a..b' }, options)
    await until(() => processes().length > 0)
    controller.abort()
    expect(await aborted).toMatchObject(interrupted)
    await checker?.close()
    expect(await other).toMatchObject(interrupted)
    expect(warnings).toEqual([])
  })

  test('ends when the server is killed', async () => {
    const child = Bun.spawn([executable, 'domains', 'checker', '1'], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
    child.stdin.write(`${JSON.stringify({ id: 1, check: name, options })}\n`)
    await child.stdin.flush()
    await until(() => silent.queries.length > 0)
    await child.stdin.end()
    expect(await child.exited).toBe(0)
  })
})

describe('the server checks names itself', () => {
  test('if the process cannot be started', async () => {
    const log = createLog({ level: 'warn', json: false, now: () => 0, write: (line) => warnings.push(line) })
    checker = createChecker({ self: [join(folder.path, 'missing')], variables, clock, log })
    expect((await checker.check({ hostname: 'a..b' }, options)).findings).toMatchObject([{ code: 'invalid_hostname' }])
    expect(warnings).toEqual([expect.stringContaining('could not be started: the server checks them itself')])
  })

  test('if the process ends before it has begun, as one of another version does', async () => {
    const { check } = create('echo "petstore: no such command" >&2; exit 2')
    expect((await check({ hostname: 'a..b' }, options)).findings).toMatchObject([{ code: 'invalid_hostname' }])
    expect(warnings).toEqual([expect.stringMatching(/did not start: .*no such command/)])
  })

  test('if the process does not begin within ten seconds', async () => {
    const { check } = create('exec sleep 60')
    const result = check({ hostname: 'a..b' }, options)
    await until(() => processes().length > 0)
    clock.advance(10_000)
    expect((await result).findings).toMatchObject([{ code: 'invalid_hostname' }])
    expect(warnings).toEqual([expect.stringContaining('did not start in time')])
  })
})

test('a process that writes something else than results is ended, which leaves its checks unknown', async () => {
  const { check } = create(`echo '{"ready":"1"}'; read line; echo 'Segmentation fault'; exec sleep 60`)
  expect(await check(name, options)).toMatchObject(interrupted)
  expect(warnings).toEqual([expect.stringContaining('wrote something unexpected')])
})
