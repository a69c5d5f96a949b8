/** Announces the progress of imports, for live pages. */

export interface ImportProgress {
  readonly importId: number
  /** The number of animals that were added. */
  readonly done: number
  /** The number of animals of the file. */
  readonly total: number
}

export type ImportProgressListener = (progress: ImportProgress) => void

export interface ImportProgressSource {
  /**
   * Calls `listener` after each step of every import, and at its end, when `done` equals `total`. Returns a function
   * that unsubscribes.
   */
  subscribe(listener: ImportProgressListener): () => void
}

export interface ImportProgressReporter extends ImportProgressSource {
  report: ImportProgressListener
}

export function createImportProgress(): ImportProgressReporter {
  const listeners = new Set<ImportProgressListener>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    report(progress) {
      for (const listener of listeners) listener(progress)
    },
  }
}
