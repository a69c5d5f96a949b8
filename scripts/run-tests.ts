/**
 * Runs `bun test` with the given arguments on two worker processes for each processor, since most tests wait for other
 * processes. Ends with one line that counts the skipped tests and says what they need.
 */

import { existsSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Glob } from 'bun'

// How long each file took in the last run: the slowest files start first. Without a last run, the largest files count
// as the slowest, those of pages first.
const timings = 'dist/test-timings.json'
if (!existsSync(timings)) {
  const paths = [...new Glob('src/**/*.test.ts').scanSync()]
  const files = Object.fromEntries(
    paths.map((path) => [path, statSync(path).size * (path.startsWith('src/web/') ? 4 : 1)]),
  )
  writeFileSync(timings, JSON.stringify({ version: 1, files }))
}

const child = Bun.spawn(
  [
    process.execPath,
    'test',
    `--parallel=${2 * availableParallelism()}`,
    // Files of a worker share their modules and the browser.
    '--no-isolate',
    `--timings=${timings}`,
    '--update-timings',
    ...process.argv.slice(2),
  ],
  {
    env: { ...process.env, ...(process.stderr.isTTY && { FORCE_COLOR: '1' }) },
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'pipe',
  },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))

const reasons = new Set<string>()
let skipped = 0
let rest = ''
const decoder = new TextDecoder()
for await (const chunk of child.stderr) {
  process.stderr.write(chunk)
  const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) {
    const text = Bun.stripANSI(line)
    const reason = /^SKIPPED: (.*?)\.?$/.exec(text)?.[1]
    if (reason !== undefined) reasons.add(reason)
    skipped = Number(/^ (\d+) skip$/.exec(text)?.[1] ?? skipped)
  }
}
if (skipped > 0 || reasons.size > 0) {
  console.error(`${skipped} tests were skipped: ${[...reasons].join('; ') || 'see above'}.`)
}
process.exit(await child.exited)
