/**
 * The owners for domain-checks.ts, as JSON in standard input. They begin one after the other within two seconds, and each checks their
 * domains one after another for so many seconds. Prints the number of checks after the last result.
 *
 *     bun bench/domain-owners.ts URL SECONDS
 */

export interface Owner {
  readonly key: string
  readonly project: number
  readonly hostnames: readonly string[]
}

const [, , url = '', seconds] = process.argv
const endMs = performance.now() + Number(seconds) * 1_000
const isOver = () => performance.now() >= endMs
let checks = 0

async function checkAll({ key, project, hostnames }: Owner, i: number, { length }: readonly Owner[]): Promise<void> {
  await Bun.sleep((2_000 * i) / length)
  for (let n = 0; !isOver(); n = (n + 1) % hostnames.length) {
    const path = `${url}/v1/projects/${project}/domains/${hostnames[n]}/verify`
    const response = await fetch(path, { method: 'POST', headers: { Authorization: `Bearer ${key}` } })
    await response.text()
    if (response.status === 200) checks++
    // Ten a minute for each account.
    else if (response.status === 429) await Bun.sleep(Number(response.headers.get('retry-after')) * 1_000)
    else throw new Error(`a check ended with ${response.status}`)
  }
}

if (import.meta.main) {
  await Promise.all(((await Bun.stdin.json()) as Owner[]).map(checkAll))
  console.log(checks)
}
