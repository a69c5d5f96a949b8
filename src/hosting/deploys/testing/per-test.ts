/** For tests of deploys over HTTP that need one store each, whose first project they create. */

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { filesBelow } from '../../../lib/contents/testing/content-store.ts'
import { storePerTest } from '../../../testing/per-test/store.ts'
import { deployJobs } from '../jobs.ts'
import { buildZip } from './zip.ts'

export interface SendOptions {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: string
}

export const zipOf = (files: Readonly<Record<string, string>>) =>
  buildZip(Object.entries(files).map(([name, content]) => ({ name, content })))

/** Opens a store before each test of the file, and closes it after the test. */
export function deploysPerTest() {
  const opened = storePerTest()

  const send = (project: number, archive: Uint8Array, { key, headers, type }: SendOptions = {}) =>
    opened.store.call('POST', `/v1/projects/${project}/deploys`, {
      key: key ?? opened.store.key,
      headers: { 'Content-Type': type ?? 'application/zip', ...headers },
      rawBody: new Blob([archive as Uint8Array<ArrayBuffer>]),
    })

  function rows() {
    using database = new Database(opened.databasePath, { readonly: true })
    return ['deploys', 'deploy_files', 'account_contents'].map(
      (table) => database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n,
    )
  }

  return {
    get store() {
      return opened.store
    },
    get databasePath() {
      return opened.databasePath
    },
    restart: opened.restart,
    send,
    deploy: (files: Readonly<Record<string, string>>, options: SendOptions & { project?: number } = {}) =>
      send(options.project ?? 1, zipOf(files), options),
    createProject: async (name = 'Paws', key = opened.store.key) =>
      (await opened.store.call('POST', '/v1/projects', { key, body: { name } })).json,
    list: async (path = '/v1/projects/1/deploys') => (await opened.store.call('GET', path)).json,
    /** Everything that deploys keep: stored files, temporary ones included, and rows. */
    kept() {
      const files = filesBelow(join(opened.folder, 'production-files'))
      return { files, rows: rows(), bytes: opened.store.app.deployFiles.bytesOf(1) }
    },
    /** The numbers of deploys, of their files, and of the contents that accounts have. */
    rows,
    runJob: (name: string) =>
      deployJobs(opened.store.app)
        .find((job) => job.name === name)
        ?.run(new AbortController().signal),
  }
}
