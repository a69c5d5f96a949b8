/** For tests of imports over HTTP that need one store each. */

import { pageRange } from '../../../lib/steps/collect.ts'
import { storePerTest } from '../../../testing/per-test/store.ts'
import { categoryRow } from '../../categories/testing/category-row.ts'
import type { RowError } from '../file/findings.ts'

export const csvType = { 'Content-Type': 'text/csv' }

/** Rows of dogs for the columns `name,category`. */
export const rows = (count: number) => Array.from({ length: count }, (_, i) => `Rex ${i},Dog\n`).join('')

/** Opens a store before each test of the file, and closes it after the test. */
export function importsPerTest() {
  const opened = storePerTest()
  const send = (rawBody: BodyInit, query = '', headers: Record<string, string> = {}) =>
    opened.store.call('POST', `/v1/imports${query}`, { rawBody, headers: { ...csvType, ...headers } })
  return {
    opened,
    send,
    /** Imports a CSV file; returns why nothing was imported instead if it fails, and the faults of its invalid rows. */
    async load(text: BodyInit, { skipsInvalid = false } = {}) {
      const { json } = await send(text, `?listInvalid=true&fileName=pets.csv&skipInvalid=${skipsInvalid}`)
      const badRows = json.errors.map(({ line, message }: RowError) => `${line}: ${message}`)
      return json.rejection === null ? { imported: json.imported, badRows } : { rejection: json.rejection, badRows }
    },
    allPets: () => opened.store.app.pets.page({}, pageRange('asc', undefined), 1_000_000).records,
    addCategory: (category: { id: number; name: string }) =>
      opened.store.app.writer.write(() => opened.store.app.categories.add(categoryRow(category))),
    newCategories: () => opened.store.app.categories.page(6, 100_000).map(({ id, name }) => ({ id, name })),
    /** The names of all animals. */
    names: async () =>
      (await opened.store.call('GET', '/v1/pets?limit=100')).json.map(({ name }: { name: string }) => name),
  }
}
