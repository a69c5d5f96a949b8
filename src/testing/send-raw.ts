/** Sends bytes that no HTTP client would send. */

/** Sends `text`, one byte for each character, to a port and resolves to the response when the connection ends. */
export function sendRaw(port: number, text: string, address = '127.0.0.1'): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let received = ''
  const socket = {
    open: (connection: Bun.Socket) => void connection.write(Buffer.from(text, 'latin1')),
    data: (_connection: Bun.Socket, bytes: Buffer) => {
      received += bytes.toString('latin1')
    },
    close: () => resolve(received),
    connectError: (_connection: Bun.Socket, error: Error) => reject(error),
  }
  Bun.connect({ hostname: address, port, socket }).catch(reject)
  return promise
}
