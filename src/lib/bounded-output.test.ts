import { expect, test } from 'bun:test'
import { Writable } from 'node:stream'
import { createBoundedOutput, maximumWaiting } from './bounded-output.ts'
import { createLog } from './log.ts'

/** A stream whose reader reads the written text when the test calls `readAll`. */
function slowStream() {
  const written: string[] = []
  let resume: (() => void) | undefined
  const stream = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      resume = () => {
        written.push(text)
        done()
      }
    },
  })
  const readAll = () => {
    for (let next = resume; next; next = resume) {
      resume = undefined
      next()
    }
  }
  return { stream, written, readAll }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('text is dropped while a mebibyte waits for the reader, and written again once it reads', async () => {
  const { stream, written, readAll } = slowStream()
  const write = createBoundedOutput(stream)
  const line = 'x'.repeat(1_000)
  const accepted = Array.from({ length: 5_000 }, () => write(line)).filter(Boolean).length
  expect(accepted).toBe(Math.floor(maximumWaiting / line.length))
  while (written.length < accepted) {
    readAll()
    await settle()
  }
  expect(write('last')).toBe(true)
  readAll()
  expect(written.at(-1)).toBe('last')
})

test('a stream that fails causes no error, and further lines are accepted', async () => {
  const failing = new Writable({ write: (_text, _encoding, done) => done(new Error('EPIPE')) })
  const write = createBoundedOutput(failing)
  for (let i = 0; i < 3_000; i++) {
    expect(write('x'.repeat(1_000))).toBe(true)
    if (i % 100 === 0) await settle()
  }
  expect(failing.destroyed).toBe(true)
})

test('the log reports the number of dropped lines once somebody reads it again', () => {
  const lines: string[] = []
  let isRead = true
  const write = (line: string) => (isRead ? lines.push(line) > 0 : false)
  const log = createLog({ level: 'info', json: true, now: () => 0, write })
  log.info('one')
  isRead = false
  log.info('two')
  log.info('three')
  isRead = true
  log.info('four')
  log.info('five')
  const messages = lines
    .map((line) => JSON.parse(line))
    .map(({ level, message, lines: dropped }) => ({ level, message, dropped }))
  expect(messages).toEqual([
    { level: 'info', message: 'one', dropped: undefined },
    { level: 'warn', message: 'log lines were dropped because nothing read them', dropped: 2 },
    { level: 'info', message: 'four', dropped: undefined },
    { level: 'info', message: 'five', dropped: undefined },
  ])
})
