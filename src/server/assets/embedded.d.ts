/**
 * The types of embedded.js, which scripts/build-assets.ts writes and git ignores: the files of the web pages, which
 * `bun build --compile` puts into the executable.
 */

import type { AssetFile } from './serve.ts'

/** The files of the page at /docs. */
export const docs: readonly AssetFile[]

/**
 * The files of the dashboard. The path of its page is `/dashboard/`, and the page has the placeholder `{{nonce}}` for
 * the nonce of the Content-Security-Policy; the others are below `/dashboard/assets/`.
 */
export const dashboard: readonly AssetFile[]
