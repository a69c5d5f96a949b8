/** Functions that the benchmarks share: processes, wrk, medians, and the report of results. */

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'

export { makeStore } from '../src/testing/executable.ts'

export const root = resolve(import.meta.dir, '..')
export const executable = resolve(root, 'dist/petstore')

export const petstore = (cwd: string, ...args: readonly string[]): Promise<unknown> => runJson(executable, cwd, args)

/** Runs an executable of petstore until it exits; returns the JSON document that it printed. */
export async function runJson(program: string, cwd: string, args: readonly string[]): Promise<unknown> {
  const process = Bun.spawn([program, ...args, '--json'], { cwd, stdout: 'pipe', stderr: 'ignore' })
  const text = await new Response(process.stdout).text()
  if ((await process.exited) !== 0) throw new Error(`petstore ${args.join(' ')} failed: ${text}`)
  return JSON.parse(text)
}

/** Imports rows with the columns `name` and `categoryId`, in files of as many as an import may have. */
export async function importRows(folder: string, rows: readonly string[]): Promise<void> {
  const most = 100_000
  const file = join(folder, 'animals.csv')
  for (let begin = 0; begin < rows.length; begin += most) {
    writeFileSync(file, `name,categoryId\n${rows.slice(begin, begin + most).join('')}`)
    await petstore(folder, 'pets', 'import', file)
  }
}

/** Starts a process; resolves to the first line that it prints. */
export async function start(command: readonly string[], cwd: string) {
  const child = Bun.spawn([...command], { cwd, stdout: 'pipe', stderr: 'inherit' })
  let text = ''
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('\n')) break
  }
  return { line: text.split('\n')[0] ?? '', pid: child.pid, exited: child.exited, stop: () => end(child) }
}

async function end(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM')
  await child.exited
}

export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
  /** A Lua script for other requests than a plain GET. */
  readonly script?: string
  /** Responses other than 2xx are expected. */
  readonly expectsErrors?: boolean
}

export interface Rate {
  /** Responses per second. */
  readonly perSecond: number
  /** The 99th percentile of the response times, in milliseconds. */
  readonly p99Ms: number
}

/** Runs wrk. Throws an Error for responses other than 2xx and 3xx, unless they are expected. */
export async function wrkRate({ url, connections, seconds, headers = {}, script, expectsErrors }: Load): Promise<Rate> {
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const scriptArgs = script === undefined ? [] : ['-s', script]
  const args = ['--latency', '-t1', `-c${connections}`, `-d${seconds}s`, ...scriptArgs, ...headerArgs, url]
  const child = Bun.spawn(['wrk', ...args], { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  if (!expectsErrors && /Non-2xx|Socket errors/.test(text)) throw new Error(`wrk reported errors:\n${text}`)
  const [, p99 = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(text) ?? []
  const scale = unit === 'us' ? 0.001 : unit === 's' ? 1_000 : 1
  return { perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]), p99Ms: Number(p99) * scale }
}

/** Returns the responses per second of `wrkRate`. */
export async function wrk(load: Load): Promise<number> {
  const { perSecond } = await wrkRate(load)
  return perSecond
}

export interface P99 {
  readonly wallMs: number
  /** Without the time in which the server or the probe waited for a processor. */
  readonly ownMs: number
}

/** The response times of a path while `work` runs. */
export async function probe(
  server: { readonly url: string; readonly pid: number; readonly path: string; readonly key: string },
  work: () => Promise<unknown>,
): Promise<P99> {
  const { url, pid, path, key } = server
  const command = [process.execPath, join(root, 'bench/probe.ts'), url, String(pid), path, key]
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  await work()
  child.stdin.end()
  const times = (await new Response(child.stdout).json()) as [wallMs: number, ownMs: number][]
  const p99 = (column: 0 | 1) =>
    times.map((time) => time[column]).toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
  return { wallMs: p99(0), ownMs: p99(1) }
}

/** The processor time that a process has used, in milliseconds. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export interface ProcessorTimes {
  readonly mainMs: number
  readonly allMs: number
}

/** The processor time of the main thread, which keeps other requests waiting, and of the whole process. */
export function processorTimes(pid: number): ProcessorTimes {
  const [mainNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return { mainMs: Number(mainNs) / 1e6, allMs: processorMs(pid) }
}

/** The processor time of each of `count` responses since then. */
export function spentSince(pid: number, since: ProcessorTimes, count: number): ProcessorTimes {
  const now = processorTimes(pid)
  return { mainMs: (now.mainMs - since.mainMs) / count, allMs: (now.allMs - since.allMs) / count }
}

/** The resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
}

export const wholeNumber = (value: number): string => Math.round(value).toLocaleString('en')

/** The median with the range, such as `0.64 (0.61–0.66)`. */
export function medianWithRange(values: readonly number[], digits: number): string {
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits))
  return `${median(values).toFixed(digits)} (${low}–${high})`
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/**
 * Prints result rows as a table with machine and date. With `--record` it replaces the section of bench/results.md
 * whose title is the same up to a bracket, or adds one.
 */
export function report(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  const text = `\n## ${title}\n\n${new Date().toISOString().slice(0, 10)}, ${machine()}\n\n${lines.join('\n')}\n`
  console.log(text)
  if (process.argv.includes('--record')) record(title, text)
}

function record(title: string, section: string): void {
  const path = resolve(root, 'bench/results.md')
  const [head = '', ...sections] = readFileSync(path, 'utf8').split(/^\n(?=## )/m)
  const nameOf = (heading: string) => heading.split(/ \(|\n/)[0]
  const at = sections.findIndex((other) => nameOf(other) === nameOf(`## ${title}`))
  sections.splice(at === -1 ? sections.length : at, 1, section.slice(1))
  writeFileSync(path, [head, ...sections].join('\n'))
}

function machine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const kernel = readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim()
  return `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${memory}, Linux ${kernel}, Bun ${Bun.version}`
}
