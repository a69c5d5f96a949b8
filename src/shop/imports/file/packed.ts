/** Recognises spreadsheets and compressed files, whose bytes are no text in any encoding, by how they begin. */

const packings: readonly { readonly start: readonly number[]; readonly fault: string }[] = [
  { start: [0x1f, 0x8b], fault: 'the file is compressed with gzip: unpack it first, for example with gunzip' },
  {
    // "PK": .xlsx and .ods are zip archives.
    start: [0x50, 0x4b, 0x03, 0x04],
    fault: 'this is a spreadsheet, or a zip archive: save the spreadsheet as CSV, or unpack the archive',
  },
  { start: [0xd0, 0xcf, 0x11, 0xe0], fault: 'this is a spreadsheet: save it as CSV' },
]

const longestStart = Math.max(...packings.map(({ start }) => start.length))

/** Passes a file on unchanged. Of one that is packed it passes nothing, and calls `onPacked` with the fault. */
export async function* textOnly(
  chunks: AsyncIterable<Uint8Array>,
  onPacked: (fault: string) => void,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array(0)
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk
      continue
    }
    head = head.length > 0 ? Buffer.concat([head, chunk]) : chunk
    if (head.length < longestStart) continue
    const fault = faultOf(head)
    if (fault !== undefined) return onPacked(fault)
    yield head
    head = undefined
  }
  if (head !== undefined && head.length > 0) yield head
}

function faultOf(head: Uint8Array): string | undefined {
  return packings.find(({ start }) => start.every((byte, i) => head[i] === byte))?.fault
}
