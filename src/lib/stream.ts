/** Streams of the web. */

interface StreamConstructor {
  /** https://streams.spec.whatwg.org/#rs-from; the types of Bun lack it. */
  from(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array>
}

/** A stream of pieces, none of which is made before it is read. */
export function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return (ReadableStream as unknown as StreamConstructor).from(pieces)
}
