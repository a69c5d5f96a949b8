/** The limits of imports. */

/** The maximum size of a file over HTTP. */
export const maximumFileBytes = 104_857_600

/** The most rows of a file. They are added in one transaction, during which no other request is served. */
export const maximumRows = 100_000

/** The most animals that a file changes: each has its events. */
export const maximumChanges = 10_000

/** How long an undo puts changes back, in milliseconds. */
export const changesKeptMs = 30 * 86_400_000

/** The most names of new categories that the result of an import has. */
export const maximumNewCategories = 100
