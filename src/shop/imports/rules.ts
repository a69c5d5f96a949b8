/** The limits of imports over HTTP. */

/** The maximum size of a file. */
export const maximumFileBytes = 104_857_600

/** The most invalid rows that a response lists. */
export const maximumErrors = 100_000

/** The most names of new categories that the result of an import has. */
export const maximumNewCategories = 100
