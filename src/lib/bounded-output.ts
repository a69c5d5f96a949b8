/**
 * Output that neither ends the writing process nor fills its memory: log lines for a reader that is slow, has stopped
 * reading or has exited.
 */

export interface OutputStream {
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Calls `done` when the system has accepted the text, or with the error. */
  write(text: string, done: (error?: Error | null) => void): unknown
}

/** The most text that may wait for a reader, in UTF-16 code units. */
export const maximumWaiting = 1024 * 1024

/**
 * Returns a function that writes to `stream` and ignores its errors (a closed pipe, a full disk, a terminal that was
 * hung up). It drops a text and returns false while too much text waits for the reader.
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
