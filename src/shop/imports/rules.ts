/** The limits of imports. */

/** The maximum size of a file over HTTP. */
export const maximumFileBytes = 104_857_600

/** The most rows of a file. They are added in one transaction, during which no other request is served. */
export const maximumRows = 100_000

/** The most names of new categories that the result of an import has. */
export const maximumNewCategories = 100
