/** For tests of the compiled executable, one server with its own data directory for each test. */

import { afterEach, beforeEach } from 'bun:test'
import { join } from 'node:path'
import { emptyFolder, type PetstoreProcess, runPetstore, startPetstoreProcess } from '../executable.ts'

export type TestClient = ReturnType<typeof clientOf>
export type TestServer = PetstoreProcess & TestClient

/** Creates a directory before each test of the file; ends the servers and deletes the directory after the test. */
export function serversPerTest() {
  let folder: ReturnType<typeof emptyFolder>
  let cleanups: (() => unknown)[]

  beforeEach(() => {
    folder = emptyFolder()
    cleanups = []
  })
  afterEach(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
    folder.remove()
  })

  const data = () => join(folder.path, 'data')
  return {
    /** The working directory of servers and commands. */
    folder: () => folder.path,
    data,
    file: (name = 'production.db') => join(data(), name),
    /** Runs after the test; the last one that was added first. */
    cleanUp: (cleanup: () => unknown) => void cleanups.push(cleanup),
    petstore: (...args: string[]) => runPetstore(args, { cwd: folder.path }),
    /**
     * Starts a server. `key` is of an earlier start; the first start prints one. `prefix` is a command that runs it,
     * such as strace. `options` are those of `serve`.
     */
    async serve(key?: string, prefix?: string[], options: readonly string[] = []): Promise<TestServer> {
      const server = await startPetstoreProcess([...options], { cwd: folder.path }, prefix)
      cleanups.push(() => server.kill())
      return { ...server, ...clientOf(server.ready.url, key ?? server.ready.key ?? '') }
    },
  }
}

function clientOf(url: string, key: string) {
  const send = (method: string, path: string, { body, headers = {} }: { body?: object; headers?: object } = {}) =>
    fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  return {
    key,
    send,
    /** Adds an animal. */
    add: (name: string, headers = {}) => send('POST', '/v1/pets', { body: { name, categoryId: 1 }, headers }),
    /** The names of the first page of animals. */
    names: async () => ((await (await send('GET', '/v1/pets')).json()) as { name: string }[]).map(({ name }) => name),
    readyz: () => fetch(`${url}/readyz`),
  }
}

/** Sends requests until `isDone` accepts a response; throws after ten seconds. */
export async function until(
  request: () => Promise<Response>,
  isDone: (response: Response) => boolean,
): Promise<Response> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const response = await request()
    if (isDone(response)) return response
    await response.text()
    await Bun.sleep(50)
  }
  throw new Error('it did not happen within ten seconds')
}

/**
 * Repeats `check` until it is true; false after twenty seconds. A server shows the change of a command within one
 * second, unless the machine is busy.
 */
export async function eventually(check: () => Promise<boolean>): Promise<boolean> {
  for (const endMs = performance.now() + 20_000; performance.now() < endMs; await Bun.sleep(50)) {
    if (await check()) return true
  }
  return false
}

export const is = (status: number) => (response: Response) => response.status === status

export const messageOf = async (response: Response) => ((await response.json()) as { message: string }).message

/** Kills a server. Resolves to the lines of its log on faults, as `begin FAULT` and `end FAULT`. */
export async function faultsLogged(server: PetstoreProcess): Promise<string[]> {
  await server.kill()
  const lines = (await server.errors).split('\n').filter((line) => line.startsWith('{'))
  const entries = lines.map((line) => JSON.parse(line) as { message: string; fault?: string; level: string })
  return entries
    .filter(({ level, fault }) => level !== 'info' || fault !== undefined)
    .map(({ message, fault }) => (fault ? `${message.includes('has ended') ? 'end' : 'begin'} ${fault}` : message))
}
