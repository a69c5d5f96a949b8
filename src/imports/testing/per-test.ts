/** For tests of imports over HTTP that need one store each. */

import { storePerTest } from '../../testing/per-test/store.ts'

export const csvType = { 'Content-Type': 'text/csv' }

/** Rows of dogs for the columns `name,category`. */
export const rows = (count: number) => Array.from({ length: count }, (_, i) => `Rex ${i},Dog\n`).join('')

/** Opens a store before each test of the file, and closes it after the test. */
export function importsPerTest() {
  const opened = storePerTest()
  return {
    opened,
    send: (rawBody: BodyInit, query = '', headers: Record<string, string> = {}) =>
      opened.store.call('POST', `/v1/imports${query}`, { rawBody, headers: { ...csvType, ...headers } }),
    /** The names of all animals. */
    names: async () =>
      (await opened.store.call('GET', '/v1/pets?limit=100')).json.map(({ name }: { name: string }) => name),
  }
}
