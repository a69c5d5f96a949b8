import { expect, test } from 'bun:test'
import { openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { isBuilt } from '../testing/executable.ts'
import { mountDisk } from '../testing/faults.ts'
import { serversPerTest } from '../testing/per-test/server.ts'

const servers = serversPerTest()

/** The command that follows sees an empty directory where the sources are, as on any other machine. */
const withoutSources = [
  '/usr/bin/unshare',
  '--mount',
  '/bin/sh',
  '-c',
  `mount -t tmpfs none ${resolve(import.meta.dir, '..')} && exec "$@"`,
  'sh',
]

test.skipIf(!isBuilt || !mountDisk.isPossible)(
  'the executable moves the log into the file without the sources',
  async () => {
    const { add, signal, errors } = await servers.serve(undefined, withoutSources)
    const log = openSync(servers.file('production.db-wal'), 'r')
    const header = Buffer.alloc(32)
    // Changes when the log begins anew: https://sqlite.org/fileformat2.html#the_write_ahead_log
    const salt = () => {
      readSync(log, header, 0, header.length, 0)
      return header.readUInt32BE(16)
    }
    expect((await add('first')).status).toBe(201)
    const before = salt()
    // A transaction writes some ten frames, and the log is moved after 4,000.
    for (let i = 0; i < 1_000 && salt() === before; i++) await add(`Animal ${i}`)
    signal('SIGTERM')
    expect(await errors).not.toContain('"level":"warn"')
    expect(salt()).not.toBe(before)
  },
)
