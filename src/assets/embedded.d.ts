/**
 * The types of embedded.js, which scripts/build-assets.ts writes and git ignores: the files of the web pages, which
 * `bun build --compile` puts into the executable.
 */

import type { AssetFile } from './serve.ts'

/** The files of the page at /docs. */
export const docs: readonly AssetFile[]
