/**
 * Output that must neither end nor fill the process that writes it: log lines to a reader that is slow, has
 * stopped reading or has gone away.
 */

export interface OutputStream {
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Calls `done` when the system has taken the text, or with the reason why it has not. */
  write(text: string, done: (error?: Error | null) => void): unknown
}

/** How much may wait for a reader, in UTF-16 code units. */
export const maximumWaiting = 1024 * 1024

/**
 * A function that writes to `stream` and ignores its errors (a closed pipe, a full disk, a terminal that was hung
 * up). It drops a text and returns false while too much waits for the reader.
 */
export function createBoundedOutput(stream: OutputStream): (text: string) => boolean {
  let waiting = 0
  // Without a listener such an error ends the process.
  stream.on('error', () => {})
  return (text) => {
    if (waiting + text.length > maximumWaiting) return false
    waiting += text.length
    stream.write(text, () => {
      waiting -= text.length
    })
    return true
  }
}
