/** Real servers of Debian packages, as separate processes with configurations in temporary directories. */

import { Resolver } from 'node:dns/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The path of a program, also in `/usr/sbin`; prints a line if it is missing, because its tests are skipped then. */
export function findPeer(program: string): string | undefined {
  const path = Bun.which(program, { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` })
  if (path === null) console.error(`SKIPPED: tests with ${program} need the Debian package that has it.`)
  return path ?? undefined
}

/** A TCP port of an address that was free just now. */
export async function freePort(address: string): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve))
  const found = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (found === null || typeof found === 'string') throw new Error('there is no free port')
  return found.port
}

export interface PeerOptions {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Resolves to true once the server accepts requests. */
  readonly isReady: () => Promise<boolean>
}

/** How long a server may take to start, in milliseconds. */
const startTimeoutMs = 20_000

/** Starts a server and waits until it is ready. Throws with its output if it ends or is not ready in time. */
export async function startPeer({ command, env = {}, isReady }: PeerOptions) {
  const child = Bun.spawn([...command], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env },
  })
  const output = { text: '' }
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream)
      output.text = (output.text + decoder.decode(chunk, { stream: true })).slice(-100_000)
  }
  const reads = Promise.all([read(child.stdout), read(child.stderr)])
  const deadlineMs = performance.now() + startTimeoutMs
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      child.kill('SIGKILL')
      await reads
      throw new Error(`${command[0]} did not start: ${output.text}`)
    }
    await Bun.sleep(20)
  }
  return {
    /** The last 100,000 characters that it has printed. */
    output: () => output.text,
    async stop(): Promise<void> {
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await child.exited
      clearTimeout(killer)
      await reads
    },
  }
}

/** A temporary directory for the files of a server. */
export function peerDirectory(name: string) {
  const path = mkdtempSync(join(tmpdir(), `petstore-${name}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Whether a DNS server at port 53 of an address knows a name. */
export async function resolves(address: string, name: string, type: 'A' | 'SOA'): Promise<boolean> {
  const resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([address])
  return (await resolver.resolve(name, type)) !== undefined
}

/**
 * A loopback address with this last octet, at whose port 53 nothing listens; undefined, and a line, if binding that
 * port is not allowed. Name servers are queried at port 53 alone, and nothing else listens at a random loopback
 * address.
 */
export async function freeDnsAddress(lastOctet: number): Promise<string | undefined> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const [second = 1, third = 1] = crypto.getRandomValues(new Uint8Array(2))
    const address = `127.${1 + (second % 250)}.${1 + (third % 250)}.${lastOctet}`
    const code = await bindFault(address)
    if (code === undefined) return address
    if (code !== 'EADDRINUSE') {
      console.error(`SKIPPED: tests with real DNS servers must bind port 53 (${code}).`)
      return undefined
    }
  }
  return undefined
}

async function bindFault(address: string): Promise<string | undefined> {
  try {
    const socket = await Bun.udpSocket({ hostname: address, port: 53 })
    socket.close()
    return undefined
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
