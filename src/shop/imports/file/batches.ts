/** Keeps rows in little memory, as compressed JSON: as objects they would need ten times as much. */

/** So many characters are compressed together, in a few milliseconds. */
const blockCharacters = 1_048_576

/**
 * To read or to add so many rows leaves some 20 MiB of garbage. JavaScriptCore collects it when there is a hundred, or
 * later in a transaction, which is not interrupted. A collection takes about ten milliseconds.
 */
const rowsBetweenCollections = 10_000

/** `rowsOfBatch`: how many rows are read together at most. */
export function createBatches<Row>(rowsOfBatch = Number.POSITIVE_INFINITY) {
  const blocks: Uint8Array[] = []
  /** The batches of the last block as JSON, which has no line feed. */
  let texts: string[] = []
  let characters = 0
  let batch: Row[] = []
  let handled = 0

  /** Takes note that the caller has read or added rows. */
  function handle(count: number): void {
    handled += count
    if (handled < rowsBetweenCollections) return
    Bun.gc(true)
    handled = 0
  }

  function endBatch(): void {
    if (batch.length === 0) return
    const text = JSON.stringify(batch)
    texts.push(text)
    characters += text.length
    handle(batch.length)
    batch = []
    if (characters >= blockCharacters) endBlock()
  }

  function endBlock(): void {
    if (texts.length > 0) blocks.push(Bun.zstdCompressSync(texts.join('\n'), { level: 1 }))
    texts = []
    characters = 0
  }

  return {
    add(row: Row): void {
      batch.push(row)
      if (batch.length >= rowsOfBatch) endBatch()
    },
    endBatch,
    /** The batches in their order, which are not kept any longer. */
    *take(): Generator<readonly Row[]> {
      endBatch()
      endBlock()
      for (let block = blocks.shift(); block; block = blocks.shift()) {
        for (const text of Bun.zstdDecompressSync(block).toString().split('\n')) {
          const rows: Row[] = JSON.parse(text)
          yield rows
          handle(rows.length)
        }
      }
    },
  }
}
export type Batches<Row> = ReturnType<typeof createBatches<Row>>
