/**
 * Follows the events of a store with one stream for each line of standard input, which has an API key, until the input
 * ends. Prints `ready` when all are open, and then `{"events","missing","latenciesMs"}`: how many events all of them
 * have received, how many are missing between those that any has, and for each how long after the change it came. Run
 * by events.ts.
 *
 *     bun bench/event-followers.ts URL STREAMS
 */

const [, , url = '', streams = ''] = process.argv
const latenciesMs: number[] = []
const received: Set<number>[] = []
const abort = new AbortController()
const following: Promise<void>[] = []

async function follow(key: string): Promise<void> {
  const ids = new Set<number>()
  received.push(ids)
  const headers = { Authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/v1/events/stream?types=pet.*`, { headers, signal: abort.signal })
  if (!response.ok) throw new Error(`a stream was answered with ${response.status}: ${await response.text()}`)
  following.push(read(response, ids).catch(() => {}))
}

async function read(response: Response, ids: Set<number>): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    const messages = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
    text = messages.pop() ?? ''
    const nowMs = Date.now()
    for (const message of messages) {
      const createdAt = /"createdAt":"([^"]+)"/.exec(message)?.[1]
      if (createdAt === undefined) continue
      ids.add(Number(/^id: (\d+)$/m.exec(message)?.[1]))
      latenciesMs.push(nowMs - Date.parse(createdAt))
    }
  }
}

const opening: Promise<void>[] = []
for await (const line of console) {
  // The end of the input.
  if (line === '') break
  opening.push(follow(line))
  if (opening.length === Number(streams)) {
    await Promise.all(opening)
    console.log('ready')
  }
}
// The last events are under way.
await Bun.sleep(500)
abort.abort()
await Promise.all(following)
const all = new Set(received.flatMap((ids) => [...ids]))
const missing = received.reduce((sum, ids) => sum + all.size - ids.size, 0)
console.log(JSON.stringify({ events: all.size, missing, latenciesMs }))
