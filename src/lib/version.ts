/** The version of this executable, from `package.json`, and the commit that it was built from. */

import manifest from '../../package.json' with { type: 'json' }

export const version: string = manifest.version

/** scripts/build.sh defines it. */
declare const PETSTORE_COMMIT: string | undefined

/**
 * The commit, with `+` behind it if files were changed; undefined outside of an executable, and for one that was built
 * without Git.
 */
export const commit: string | undefined = (typeof PETSTORE_COMMIT === 'string' && PETSTORE_COMMIT) || undefined
