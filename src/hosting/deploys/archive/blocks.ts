/** The blocks of tar archives, and how they are read from a stream. */

export const blockBytes = 512

/** The zeros between a content and the next header. */
export const padding = (size: number) => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)

export function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0)
}

export type Input = ReturnType<typeof createInput>

/** Reads blocks and contents from chunks of any size. Throws what `truncated` returns if they end too early. */
export function createInput(source: AsyncIterable<Uint8Array>, truncated: () => Error) {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  /** Whether there are more bytes; fills `rest` if so. */
  async function fill(): Promise<boolean> {
    while (rest.length === 0) {
      const { value, done } = await chunks.next()
      if (done) return false
      rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    return true
  }
  function take(most: number): Buffer {
    const taken = rest.subarray(0, most)
    rest = rest.subarray(taken.length)
    return taken
  }
  async function exactly(size: number): Promise<Buffer> {
    if (rest.length >= size) return take(size)
    const parts: Buffer[] = []
    for (let missing = size; missing > 0; ) {
      if (!(await fill())) throw truncated()
      const part = take(missing)
      parts.push(part)
      missing -= part.length
    }
    return Buffer.concat(parts)
  }

  return {
    exactly,
    /** The next block; undefined at the end. */
    async block(): Promise<Buffer | undefined> {
      return (await fill()) ? exactly(blockBytes) : undefined
    },
    /** The content of a file; `skip` reads what is left of it. */
    content(size: number) {
      let missing = size
      async function* chunksOfContent(): AsyncGenerator<Uint8Array> {
        while (missing > 0) {
          if (!(await fill())) throw truncated()
          const part = take(missing)
          missing -= part.length
          yield part
        }
      }
      return {
        chunks: chunksOfContent,
        async skip(): Promise<void> {
          for await (const _ of chunksOfContent());
          await exactly(padding(size).length)
        },
      }
    },
    /** Whether at most `most` bytes follow. Reads them, so that the source verifies its end. */
    async endsWithin(most: number): Promise<boolean> {
      for (let read = rest.length; read <= most; ) {
        const { value, done } = await chunks.next()
        if (done) return true
        read += value.byteLength
      }
      return false
    },
    close: async () => {
      await chunks.return?.()
    },
  }
}
