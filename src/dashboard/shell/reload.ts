/** After an upgrade the files of an open page are gone. Loading the page anew, once, brings the new ones. */

const memory = 'petstore-reloaded'

/** Loads a part of the dashboard; if its file is gone, loads the page anew, at most once until a part has loaded. */
export function reloadingOnce<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    try {
      const part = await load()
      sessionStorage.removeItem(memory)
      return part
    } catch (error) {
      if (sessionStorage.getItem(memory) !== null) throw error
      sessionStorage.setItem(memory, 'yes')
      location.reload()
      // The page ends here: nothing is shown in between.
      return new Promise<T>(() => {})
    }
  }
}
