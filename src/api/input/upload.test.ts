import { describe, expect, test } from 'bun:test'
import { createManualClock } from '../../lib/clock.ts'
import { openUpload } from './upload.ts'

/** An upload of which `send` sends bytes; then the time passes. `result` is the number of bytes that were read. */
function open({ isOfCommand = false, firstReadAfter = Promise.resolve() } = {}) {
  const clock = createManualClock(0)
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(started) {
      controller = started
    },
  })
  const request = new Request('http://localhost/', { method: 'POST', body, headers: { 'Content-Type': 'text/csv' } })
  const declared = { kind: 'upload', mediaTypes: ['text/csv'], maximumBytes: 1_000_000 } as const
  const { chunks } = openUpload(request, declared, { clock, isHashed: false, isOfCommand })
  async function read(): Promise<number> {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.byteLength
      await firstReadAfter
    }
    return bytes
  }
  const result = read()
  result.catch(() => {})
  return {
    result,
    isOpen: () => Bun.peek.status(result) === 'pending',
    async send(bytes: number, seconds: number): Promise<void> {
      if (bytes > 0) controller?.enqueue(new Uint8Array(bytes))
      await Bun.sleep(0)
      clock.advance(seconds * 1_000)
      await Bun.sleep(0)
    },
    end: () => controller?.close(),
  }
}

const ended = (fault: string) => ({
  code: 'invalid_body',
  message: `The body is incomplete: its sender ${fault}.`,
})

describe('an upload', () => {
  test('that pauses for 32 seconds is ended, and one with shorter pauses is not', async () => {
    const { result, isOpen, send } = open()
    for (let count = 0; count < 3; count++) await send(100_000, 20)
    await send(0, 11)
    expect(isOpen()).toBe(true)
    await send(0, 1)
    await expect(result).rejects.toMatchObject(ended('paused for 32 seconds'))
  })

  test('that is slower than 1 kB/s for 70 seconds is ended, whatever it has sent before', async () => {
    const { result, isOpen, send } = open()
    await send(100_000, 1)
    for (let count = 0; count < 100; count++) await send(1_000, 1)
    for (let count = 0; count < 68; count++) await send(900, 1)
    expect(isOpen()).toBe(true)
    await send(900, 1)
    await expect(result).rejects.toMatchObject(ended('was slower than 1 kB/s for 70 seconds'))
  })

  test('that drips several times a second is ended, too', async () => {
    const { result, isOpen, send } = open()
    for (let count = 0; count < 75 * 4 && isOpen(); count++) await send(1, 0.25)
    await expect(result).rejects.toMatchObject(ended('was slower than 1 kB/s for 70 seconds'))
  })

  test('is not ended for the time in which nobody reads it', async () => {
    const reading = Promise.withResolvers<void>()
    const { result, send, end } = open({ firstReadAfter: reading.promise })
    await send(10, 3_600)
    reading.resolve()
    await send(10, 31)
    end()
    expect(await result).toBe(20)
  })

  test('of a command may pause for ten minutes', async () => {
    const { result, isOpen, send } = open({ isOfCommand: true })
    for (let count = 0; count < 5; count++) await send(1, 599)
    expect(isOpen()).toBe(true)
    await send(0, 1)
    await expect(result).rejects.toMatchObject(ended('paused for 600 seconds'))
  })
})
