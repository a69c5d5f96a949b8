/** Writes docs/openapi.json, the reviewed snapshot of the OpenAPI document, for `scripts/check.sh --fix`. */

import { fileURLToPath } from 'node:url'
import { writeDescription } from '../src/cli/openapi.ts'
import { serveConfig } from '../src/config/config.ts'

const snapshot = fileURLToPath(new URL('../docs/openapi.json', import.meta.url))
await Bun.write(snapshot, await writeDescription(serveConfig({})))
