/**
 * Measures GET /v1/pets while 20 events a second are made, in turn without streams of events and with 200 of them, and
 * how long after its change an event has reached every stream. The clients of the streams are other machines in
 * reality, and share the processors here.
 *
 *     bun bench/events.ts [--rounds 3] [--seconds 4] [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { executable, medianWithRange, report, root, start } from './measure.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    record: { type: 'boolean', default: false },
  },
})
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)]
const streams = 200
const streamsOfAccount = 10
const eventsPerSecond = 20
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))

await compareStreams()
rmSync(folder, { recursive: true })

interface Served {
  readonly url: string
  readonly pid: number
  readonly keys: readonly string[]
  stop(): Promise<void>
}

/** A server with a store of its own, and keys without limits, each of its own account. */
async function serve(path: string, name: string, accounts: number): Promise<Served> {
  const data = join(folder, name)
  const server = await start([path, 'serve', '--json', '--port', '0', '--data', data], folder)
  const { url, pid } = JSON.parse(server.line) as { url: string; pid: number }
  const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
  const keys: string[] = []
  for (let i = 0; i < accounts; i++) {
    const command = [path, 'keys', 'create', '--data', data, '--name', `Bench ${i}`, ...unlimited, '--json']
    keys.push(JSON.parse(await new Response(Bun.spawn(command, { stderr: 'ignore' }).stdout).text()).key)
  }
  return { url, pid, keys, stop: server.stop }
}

async function compareStreams(): Promise<void> {
  const server = await serve(executable, 'streams', streams / streamsOfAccount)
  const phases: { without: Phase; with: Phase }[] = []
  for (let round = 0; round <= rounds; round++) {
    const without = await phase(server, 0)
    const following = await phase(server, streams)
    // The first round warms the server up.
    if (round > 0) phases.push({ without, with: following })
  }
  await server.stop()
  const [first] = phases
  if (!first) return
  const p99 = (kind: 'without' | 'with', column: 0 | 1) =>
    phases.map((one) =>
      quantile(
        one[kind].times.map((time) => time[column]),
        0.99,
      ),
    )
  const added = p99('with', 0).map((ms, i) => ms - (p99('without', 0)[i] ?? 0))
  const addedOwn = p99('with', 1).map((ms, i) => ms - (p99('without', 1)[i] ?? 0))
  const latencies = phases.flatMap((one) => one.with.latenciesMs)
  report(
    'Streams of events',
    ['what', 'value'],
    [
      ['events a second, streams', `${eventsPerSecond}, ${streams}`],
      [
        'from the change to a stream, p50 and p99',
        `${quantile(latencies, 0.5)} ms and ${quantile(latencies, 0.99)} ms`,
      ],
      ['from the change to the last stream, longest', `${quantile(latencies, 1)} ms`],
      ['events that a stream did not receive', String(phases.reduce((sum, one) => sum + one.with.missing, 0))],
      ['GET /v1/pets, p99 without streams', `${medianWithRange(p99('without', 0), 2)} ms`],
      ['p99 with streams', `${medianWithRange(p99('with', 0), 2)} ms`],
      ['added by streams', `${medianWithRange(added, 2)} ms`],
      ['added without waiting for a processor', `${medianWithRange(addedOwn, 2)} ms`],
    ],
  )
}

interface Phase {
  /** Of each GET: milliseconds, and milliseconds without those in which a thread waited for a processor. */
  readonly times: readonly (readonly [number, number])[]
  readonly missing: number
  readonly latenciesMs: readonly number[]
}

/** Makes events for some seconds while a probe sends requests, with so many streams. */
async function phase({ url, pid, keys }: Served, open: number): Promise<Phase> {
  const followers = open === 0 ? undefined : await startFollowers(url, keys, open)
  const probe = Bun.spawn(
    [process.execPath, join(root, 'bench/probe.ts'), url, String(pid), '/v1/pets?limit=20', keys[0] ?? ''],
    { stdin: 'pipe', stdout: 'pipe' },
  )
  const headers = { Authorization: `Bearer ${keys[0]}`, 'Content-Type': 'application/json' }
  const body = '{"name":"Honeysuckle","categoryId":2}'
  for (let i = 0; i < seconds * eventsPerSecond; i++) {
    void fetch(`${url}/v1/pets`, { method: 'POST', headers, body }).then((response) => response.text())
    await Bun.sleep(1_000 / eventsPerSecond)
  }
  probe.stdin.end()
  const times = JSON.parse(await new Response(probe.stdout).text()) as Phase['times']
  const { missing, latenciesMs } = (await followers?.end()) ?? { missing: 0, latenciesMs: [] }
  return { times, missing, latenciesMs }
}

async function startFollowers(url: string, keys: readonly string[], open: number) {
  const command = [process.execPath, join(root, 'bench/event-followers.ts'), url, String(open)]
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe' })
  for (let i = 0; i < open; i++) child.stdin.write(`${keys[i % keys.length]}\n`)
  child.stdin.flush()
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  const first = decoder.decode((await reader.read()).value)
  if (!first.startsWith('ready')) throw new Error('The streams could not be opened.')
  return {
    async end(): Promise<Pick<Phase, 'missing' | 'latenciesMs'>> {
      child.stdin.end()
      let text = ''
      for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value)
      return JSON.parse(text)
    },
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
