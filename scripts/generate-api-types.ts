/**
 * Writes src/web/dashboard/api/schema.d.ts, the types of the API that the dashboard's client uses, from
 * docs/openapi.json. Git ignores the file: the build and the checks write it anew.
 */

import { resolve } from 'node:path'
import { plugin } from 'bun'

// openapi-typescript builds syntax trees with the compiler API, which TypeScript 7 does not have.
plugin({
  name: 'compiler-api',
  setup(build) {
    build.module('typescript', async () => ({ exports: await import('typescript-5'), loader: 'object' }))
  },
})
const { astToString, default: openapiTS } = await import('openapi-typescript')

const root = resolve(import.meta.dir, '..')
const path = `${root}/src/web/dashboard/api/schema.d.ts`
// The dashboard comes with the server of the same version, so it knows all values of the lists that may grow.
const document = JSON.parse(
  (await Bun.file(`${root}/docs/openapi.json`).text()).replaceAll('"x-extensible-enum":', '"enum":'),
)
const text = `/** Written by scripts/generate-api-types.ts. */\n\n${astToString(await openapiTS(document))}`
const file = Bun.file(path)
// Unchanged files keep their time, by which scripts/test.sh sees whether a build is needed.
if (!(await file.exists()) || (await file.text()) !== text) await Bun.write(path, text)
