/**
 * The owners for domain-checks.ts, as JSON in standard input. They begin one after the other within two seconds. With `verify` each
 * checks their domains one after another for so many seconds. With `change` each renames their project, and then one of them does
 * so every so many milliseconds. Prints the number of checks or changes after the last response.
 *
 *     bun bench/domain-owners.ts URL verify SECONDS
 *     bun bench/domain-owners.ts URL change SECONDS EVERY_MS
 */

export interface Owner {
  readonly key: string
  readonly project: number
  readonly hostnames: readonly string[]
}

const [, , url = '', work, seconds, everyMs] = process.argv
const endMs = performance.now() + Number(seconds) * 1_000
const isOver = () => performance.now() >= endMs
let done = 0

async function send(method: string, path: string, { key, project }: Owner, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const given = body ? { body: JSON.stringify(body) } : {}
  const response = await fetch(`${url}/v1/projects/${project}${path}`, { method, headers, ...given })
  await response.text()
  if (response.status === 200) done++
  else if (response.status !== 429) throw new Error(`${method} ${path} ended with ${response.status}`)
  return response
}

/** Waits until an owner begins. */
const turn = (i: number, { length }: readonly Owner[]) => Bun.sleep((2_000 * i) / length)

async function verifyAll(owner: Owner, i: number, owners: readonly Owner[]): Promise<void> {
  const { hostnames } = owner
  await turn(i, owners)
  for (let n = 0; !isOver(); n = (n + 1) % hostnames.length) {
    const response = await send('POST', `/domains/${hostnames[n]}/verify`, owner)
    // Ten a minute for each account.
    if (response.status === 429) await Bun.sleep(Number(response.headers.get('retry-after')) * 1_000)
  }
}

async function changeAll(owners: readonly Owner[]): Promise<void> {
  await Promise.all(
    owners.map(async (owner, i) => {
      await turn(i, owners)
      await send('PATCH', '', owner, { name: 'Shop' })
    }),
  )
  for (let n = 0; !isOver(); n++) {
    const owner = owners[n % owners.length]
    if (owner) await send('PATCH', '', owner, { name: `Shop ${n}` })
    await Bun.sleep(Number(everyMs))
  }
}

if (import.meta.main) {
  const owners = (await Bun.stdin.json()) as Owner[]
  await (work === 'change' ? changeAll(owners) : Promise.all(owners.map(verifyAll)))
  console.log(done)
}
