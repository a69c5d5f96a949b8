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
    /**
     * Adds the row of an import of `imported` animals of which a server has added the first two, and returns its id and
     * that of the first animal.
     */
    interrupt(imported: number, categoryId = 1) {
      const { pets, imports, writer, clock } = opened.store.app
      return writer.write(() => {
        const content = { fileName: null, sha256: Buffer.alloc(32), imported, skipped: 0 }
        const id = imports.add({ ...content, createdAt: clock.now(), completedAt: null })
        const firstPetId = pets.reserveIds(imported)
        imports.setPets(id, { firstPetId, lastPetId: firstPetId + imported - 1 })
        for (const i of [0, 1]) pets.putBack({ id: firstPetId + i, name: `Half ${i}`, categoryId, status: 'available' })
        return { id, firstPetId }
      })
    },
    /**
     * Sends a file whose animals are added fifty at a time. Resolves to the response, in an object, when the first are
     * added.
     */
    async begin(rawBody: string) {
      const { app, clock } = opened.store
      const { putBack } = app.pets
      app.pets.putBack = (pet) => {
        clock.advance(1)
        putBack(pet)
      }
      const begun = Promise.withResolvers<void>()
      const unsubscribe = app.importProgress.subscribe(() => begun.resolve())
      const response = send(rawBody)
      await begun.promise
      unsubscribe()
      return { response }
    },
    /** The name of the category of the animal that a search finds. */
    async categoryOf(q: string): Promise<string> {
      const { json } = await opened.store.call('GET', `/v1/pets?q=${q}`)
      return (await opened.store.call('GET', `/v1/categories/${json[0].categoryId}`)).json.name
    },
    /** Resolves when the job has removed the interrupted imports. */
    async untilRemoved(): Promise<void> {
      opened.store.clock.advance(1_000)
      while (opened.store.app.imports.unfinished().length > 0) await Bun.sleep(1)
    },
    /** Resolves when the job has finished the undos that were interrupted. */
    async untilUndone(): Promise<void> {
      opened.store.clock.advance(1_000)
      while (opened.store.app.imports.undoing().length > 0) await Bun.sleep(1)
    },
    /** The names of all animals. */
    names: async () =>
      (await opened.store.call('GET', '/v1/pets?limit=100')).json.map(({ name }: { name: string }) => name),
  }
}
