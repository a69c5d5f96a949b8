/**
 * The owners for domain-checks.ts, as JSON in standard input. They begin one after the other within two seconds. Each
 * checks their domains one after another for so many seconds. Prints the number of checks after the last response.
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
let done = 0

async function verify({ key, project }: Owner, hostname: string | undefined): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/v1/projects/${project}/domains/${hostname}/verify`, { method: 'POST', headers })
  await response.text()
  if (response.status === 200) done++
  else if (response.status !== 429) throw new Error(`a request to verify ended with ${response.status}`)
  return response
}

async function verifyAll(owner: Owner, i: number, { length }: readonly Owner[]): Promise<void> {
  const { hostnames } = owner
  await Bun.sleep((2_000 * i) / length)
  for (let n = 0; !isOver(); n = (n + 1) % hostnames.length) {
    const response = await verify(owner, hostnames[n])
    // Ten a minute for each account.
    if (response.status === 429) await Bun.sleep(Number(response.headers.get('retry-after')) * 1_000)
  }
}

if (import.meta.main) {
  const owners = (await Bun.stdin.json()) as Owner[]
  await Promise.all(owners.map(verifyAll))
  console.log(done)
}
