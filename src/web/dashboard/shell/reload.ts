/**
 * Loads parts of the dashboard. After an upgrade the files of an open page are gone, and loading the page anew brings
 * the new ones.
 */

const memory = 'petstore-reloaded'

/** The time between two attempts without a connection, in milliseconds. */
const pauseMs = 1_000

/**
 * Loads a part of the dashboard. If its file is gone, loads the page anew, at most once until a part has loaded.
 * Without a connection it waits for one: loading the page anew would replace it by the browser's error, and lose what
 * was typed.
 */
export function reloadingOnce<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    for (;;) {
      try {
        const part = await load()
        sessionStorage.removeItem(memory)
        return part
      } catch (error) {
        if (!(await isServerThere())) {
          await new Promise((resolve) => setTimeout(resolve, pauseMs))
          continue
        }
        if (sessionStorage.getItem(memory) !== null) throw error
        sessionStorage.setItem(memory, 'yes')
        location.reload()
        // The page ends here: nothing is shown in between.
        return new Promise<T>(() => {})
      }
    }
  }
}

const isServerThere = () =>
  fetch('/healthz', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
