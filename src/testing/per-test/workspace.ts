/** For tests of the compiled executable: a workspace for each test of a file, or one server for all of them. */

import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import { createWorkspace, isBuilt, type PetstoreProcess, type Workspace } from '../executable.ts'

/** Creates a workspace before each test of the file or group, and closes it after the test. */
export function workspacePerTest(): Workspace {
  let current: Workspace
  beforeEach(() => {
    current = createWorkspace()
  })
  afterEach(() => current.close())
  return {
    get path() {
      return current.path
    },
    run: (...args) => current.run(...args),
    serve: (...args) => current.serve(...args),
    startText: (...args) => current.startText(...args),
    terminalText: (...args) => current.terminalText(...args),
    close: () => current.close(),
  }
}

/** Starts one server for all tests of the file, in its own directory. */
export function serverPerFile() {
  const workspace = createWorkspace()
  let server: PetstoreProcess
  beforeAll(async () => {
    if (isBuilt) server = await workspace.serve()
  })
  afterAll(() => workspace.close())
  return {
    /** The working directory of the server and of commands. */
    folder: workspace.path,
    petstore: workspace.run,
    /** What a command prints with `--json`. */
    json: async (...args: string[]) => JSON.parse((await workspace.run(...args, '--json')).out),
    ready: () => server.ready,
    /** A request with the first key of the server, or another one. */
    send: (path: string, { key = server.ready.key ?? '', ...init }: RequestInit & { key?: string } = {}) =>
      fetch(server.ready.url + path, { ...init, headers: { Authorization: `Bearer ${key}`, ...init.headers } }),
  }
}
