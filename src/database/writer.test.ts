import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createManualClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { createAnnouncements } from './announcements.ts'
import { type Fault, faultOf } from './faults/fault.ts'
import { noLog, type WriteAheadLog } from './log.ts'
import { createWriter, writeTimeoutMs } from './writer.ts'

let directory: string
let connection: Database
const clock = createManualClock(0)
let blocked: Fault | undefined
let failures: Fault[] = []
const guard = {
  blocked: () => blocked,
  writeFailed(error: unknown): Fault {
    const fault = faultOf(error) ?? 'disk_error'
    failures.push(fault)
    return fault
  },
}
const { transaction } = createAnnouncements(silentLog)

beforeEach(() => {
  blocked = undefined
  failures = []
  directory = mkdtempSync(join(tmpdir(), 'petstore-writer-'))
  connection = open()
  connection.run('CREATE TABLE notes (text TEXT UNIQUE NOT NULL)')
})

afterEach(() => {
  connection.close()
  rmSync(directory, { recursive: true })
})

function open(): Database {
  const opened = new Database(join(directory, 'test.db'), { create: true, strict: true })
  opened.run('PRAGMA journal_mode = WAL')
  return opened
}

const add = (text: string) => () => {
  connection.query('INSERT INTO notes VALUES (?)').run(text)
  return text
}

const notes = () => connection.query<{ text: string }, []>('SELECT text FROM notes').values().flat()

test('writes of one turn share one transaction', async () => {
  const watcher = open()
  const version = () => watcher.query('PRAGMA data_version').values()[0]?.[0] as number
  const before = version()
  const writer = createWriter(connection, clock, transaction, guard)
  await Promise.all(['a', 'b', 'c'].map((text) => writer.write(add(text))))
  expect(version()).toBe(before + 1)
  expect(notes()).toEqual(['a', 'b', 'c'])
  watcher.close()
})

test('the writes that come during a flush, and in the next turns of the event loop, share one transaction', async () => {
  const log: WriteAheadLog = { ...noLog, flush: (_, done) => void setImmediate(() => done(undefined)) }
  const writer = createWriter(connection, clock, transaction, guard, log)
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  const first = writer.write(add('first'))
  await nextTurn()
  const during = writer.write(add('during'))
  await first
  await nextTurn()
  await Promise.all([during, writer.write(add('after'))])
  // One transaction of a write, and one of two.
  expect([...writer.batches.sizes.counts].slice(0, 3)).toEqual([1, 1, 0])
  expect(notes()).toEqual(['first', 'during', 'after'])
})

test('a write that throws is rolled back alone, and the other writes of the transaction are kept', async () => {
  const writer = createWriter(connection, clock, transaction, guard)
  const outcomes = await Promise.allSettled([
    writer.write(add('kept')),
    writer.write(() => {
      add('lost')()
      throw new RangeError('no')
    }),
    writer.write(add('kept')),
    writer.write(add('kept too')),
  ])
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(notes()).toEqual(['kept', 'kept too'])
})

test('of repeatable writes, one that throws is rolled back alone too, and all of them run again', async () => {
  const writer = createWriter(connection, clock, transaction, guard)
  const ran: string[] = []
  const repeatable = (text: string) =>
    writer.writeRepeatable(() => {
      ran.push(text)
      return add(text)()
    })
  const outcomes = await Promise.allSettled(['first', 'twice', 'twice', 'last'].map(repeatable))
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(ran).toEqual(['first', 'twice', 'twice', 'first', 'twice', 'twice', 'last'])
  expect(notes()).toEqual(['first', 'twice', 'last'])
})

test('a write that is not repeatable runs once, even beside repeatable ones that throw', async () => {
  const writer = createWriter(connection, clock, transaction, guard)
  let runs = 0
  const once = writer.write(() => ++runs)
  const failing = writer.writeRepeatable(() => {
    add('lost')()
    throw new RangeError('no')
  })
  expect(await Promise.allSettled([once, failing])).toMatchObject([{ value: 1 }, { reason: new RangeError('no') }])
  expect(notes()).toEqual([])
})

test('whatever writes of one turn do, each is kept as a whole or rejected and not kept', async () => {
  const write = fc.record({
    texts: fc.array(fc.constantFrom('a', 'b', 'c', 'd')),
    fails: fc.boolean(),
    repeatable: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 6 }), async (writes) => {
      connection.run('DELETE FROM notes')
      const writer = createWriter(connection, clock, transaction, guard)
      const outcomes = await Promise.allSettled(
        writes.map(({ texts, fails, repeatable }) =>
          (repeatable ? writer.writeRepeatable : writer.write)(() => {
            for (const text of texts) add(text)()
            if (fails) throw new RangeError('no')
          }),
        ),
      )
      const kept = writes.filter((_, i) => outcomes[i]?.status === 'fulfilled').flatMap(({ texts }) => texts)
      expect(notes().sort()).toEqual(kept.sort())
      expect(new Set(kept).size).toBe(kept.length)
      // The first that can be kept is kept.
      const possible = writes.findIndex(({ texts, fails }) => !fails && new Set(texts).size === texts.length)
      if (possible !== -1) expect(outcomes[possible]?.status).toBe('fulfilled')
    }),
  )
})

test("a write waits for another process's lock and then succeeds", async () => {
  const other = open()
  other.run('BEGIN IMMEDIATE')
  const writer = createWriter(connection, clock, transaction, guard)
  const written = writer.write(add('patient'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(notes()).toEqual([])
  other.run('COMMIT')
  clock.advance(100)
  expect(await written).toBe('patient')
  other.close()
})

test('a write that has waited five seconds for a lock is rejected as busy, with Retry-After', async () => {
  const other = open()
  other.run('BEGIN IMMEDIATE')
  const writer = createWriter(connection, clock, transaction, guard)
  const rejected = writer.write(add('late')).catch((error: unknown) => error)
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(writeTimeoutMs - 10)
  other.run('ROLLBACK')
  other.run('BEGIN IMMEDIATE')
  clock.advance(20)
  expect(await rejected).toMatchObject({ code: 'storage_unavailable', fault: 'busy', retryAfterSeconds: 1 })
  expect(failures).toEqual(['busy'])
  other.run('ROLLBACK')
  expect(notes()).toEqual([])
  other.close()
})

test('when waits are limited, writes that began before and later ones are rejected at the same time', async () => {
  const other = open()
  other.run('BEGIN IMMEDIATE')
  const writer = createWriter(connection, clock, transaction, guard)
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  const rejections: string[] = []
  const write = (text: string) => writer.write(add(text)).catch(() => void rejections.push(text))
  const early = write('early')
  await nextTurn()
  writer.limitWaits(1_000)
  clock.advance(900)
  const late = write('late')
  await nextTurn()
  expect(rejections).toEqual([])
  clock.advance(100)
  await Promise.all([early, late])
  await write('last')
  expect(rejections).toEqual(['early', 'late', 'last'])
  other.run('ROLLBACK')
  expect(await write('free')).toBe('free')
  expect(notes()).toEqual(['free'])
  other.close()
})

test('a full disk rejects every write of a transaction, and the next transaction succeeds', async () => {
  const writer = createWriter(connection, clock, transaction, guard)
  await writer.write(add('first'))
  connection.run('PRAGMA max_page_count = 3')
  const rejected = writer.write(add('x'.repeat(100_000))).catch((error: unknown) => error)
  const beside = writer.write(add('beside')).catch((error: unknown) => error)
  for (const error of [await rejected, await beside]) expect(error).toMatchObject({ fault: 'full' })
  expect(((await rejected) as Error).message).toEndWith('Nothing was changed; free some space on it and try again.')
  connection.run('PRAGMA max_page_count = 1000000')
  await writer.write(add('after'))
  expect(notes()).toContain('after')
  expect(notes().filter((text) => String(text).startsWith('xx'))).toEqual([])
})

test('after a failed flush it is unknown whether its writes were saved, and all later writes are rejected', async () => {
  let error: Error | undefined
  const log: WriteAheadLog = { ...noLog, flush: (_, done) => done(error) }
  const writer = createWriter(connection, clock, transaction, guard, log)
  await writer.write(add('first'))
  error = Object.assign(new Error('I/O error'), { code: 'EIO' })
  const outcomeOf = (text: string) => writer.write(add(text)).catch(({ message }: Error) => message)
  expect(await outcomeOf('second')).toBe(
    'The disk of the database reported an error. It is unknown whether this was saved; send it again with the same Idempotency-Key.',
  )
  error = undefined
  expect(await outcomeOf('third')).toBe(
    'The disk of the database reported an error. Nothing was changed; try again later.',
  )
  expect([notes(), failures]).toEqual([['first', 'second'], ['disk_error']])
})

test('no transaction begins until the log of earlier runs has been moved', async () => {
  let failure: Error | undefined = Object.assign(new Error('I/O error'), { code: 'SQLITE_IOERR_FSYNC' })
  const log: WriteAheadLog = {
    ...noLog,
    prepare() {
      if (failure) throw failure
    },
  }
  const writer = createWriter(connection, clock, transaction, guard, log)
  expect(await writer.write(add('early')).catch(({ message }: Error) => message)).toEndWith(
    'Nothing was changed; try again later.',
  )
  failure = undefined
  await writer.write(add('late'))
  expect(notes()).toEqual(['late'])
})

test('no write is kept beside one that has found the file damaged', async () => {
  const writer = createWriter(connection, clock, transaction, guard)
  const damage = () => {
    throw Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' })
  }
  for (const write of [writer.write, writer.writeRepeatable]) {
    const outcomes = await Promise.allSettled([add('before'), damage, add('after')].map((work) => write(work)))
    expect(outcomes).toMatchObject(Array(3).fill({ reason: { fault: 'malformed' } }))
  }
  expect(notes()).toEqual([])
})

test('nothing is written while the storage has a fault that makes writes impossible', async () => {
  const writer = createWriter(connection, clock, transaction, guard)
  blocked = 'file_gone'
  const rejected = await writer.write(add('lost')).catch((error: unknown) => error)
  expect(rejected).toMatchObject({ code: 'storage_unavailable', fault: 'file_gone' })
  blocked = undefined
  await writer.write(add('kept'))
  expect(notes()).toEqual(['kept'])
})
