/** Keeps rows in little memory, as compressed JSON: as objects they would need ten times as much. */

/** So many characters are compressed together, in a few milliseconds. */
const blockCharacters = 1_048_576

/**
 * To read and to add the rows of a block leaves some five MiB of garbage. By itself it would be collected when there is a
 * hundred, because a transaction is not interrupted. A collection takes about ten milliseconds.
 */
const blocksBetweenCollections = 4

/** `rowsOfBatch`: how many rows are read together at most. */
export function createBatches<Row>(rowsOfBatch = Number.POSITIVE_INFINITY) {
  const blocks: Uint8Array[] = []
  /** The batches of the last block as JSON, which has no line feed. */
  let texts: string[] = []
  let characters = 0
  let batch: Row[] = []

  function endBatch(): void {
    if (batch.length === 0) return
    const text = JSON.stringify(batch)
    texts.push(text)
    characters += text.length
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
      let taken = 0
      for (let block = blocks.shift(); block; block = blocks.shift()) {
        for (const text of Bun.zstdDecompressSync(block).toString().split('\n')) yield JSON.parse(text)
        if (++taken % blocksBetweenCollections === 0) Bun.gc(true)
      }
    },
  }
}
export type Batches<Row> = ReturnType<typeof createBatches<Row>>
