/** Reads a stream of server-sent events in tests. */

export function readMessages({ body }: Response) {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    /** Resolves to the next message, without the empty line after it, or to undefined at the end of the stream. */
    async next(): Promise<string | undefined> {
      while (!text.includes('\n\n')) {
        const { value, done } = await reader.read()
        if (done) return undefined
        text += decoder.decode(value, { stream: true })
      }
      const end = text.indexOf('\n\n')
      const message = text.slice(0, end)
      text = text.slice(end + 2)
      return message
    },
    cancel: () => reader.cancel(),
  }
}
