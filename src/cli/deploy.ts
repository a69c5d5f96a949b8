/** `petstore deploy`: publishes a folder or an archive as the website of a project. */

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type StoreConfig, storeConfig } from '../config/config.ts'
import { type OptionValues, text, UsageError } from '../config/values.ts'
import { databasePath } from '../database/environment.ts'
import type { ArchiveEntry } from '../hosting/deploys/archive/entry.ts'
import { readFolder } from '../hosting/deploys/archive/folder.ts'
import {
  type ArchiveType,
  archiveLimits,
  maximumArchiveBytes,
  type Unpacked,
  unpack,
  unpackEntries,
} from '../hosting/deploys/archive/unpack.ts'
import type { FileBatch, Manifest } from '../hosting/deploys/manifest.ts'
import { publish } from '../hosting/deploys/publish/publish.ts'
import { type Deploy, toDeploy } from '../hosting/deploys/schemas.ts'
import { createStoreFiles } from '../hosting/deploys/storage/place.ts'
import type { ProjectRow } from '../hosting/projects/store.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { systemReason } from '../lib/system-error.ts'
import type { Command, Invocation } from './command.ts'
import { plural } from './output.ts'
import { createProgress, type Progress } from './progress.ts'
import { projectOf, projectViewOf } from './project-view.ts'
import { type CommandStore, withStore } from './store.ts'

export const deploy: Command = {
  name: 'deploy',
  isLocal: true,
  summary: 'publish a folder as the website of a project',
  details:
    'DIR is a folder, or a .zip or .tar.gz file. Files and folders that begin with a dot are left out, .well-known excepted; symbolic links are an error, and so is a folder or an archive with data of the service. A running server serves the files within a second; --json prints the deploy. Ctrl+C before the end leaves the website as it is.',
  operands: 'DIR',
  arity: [1, 1],
  options: {
    project: { type: 'string', value: 'SLUG', help: 'the slug of the project', default: 'required' },
  },
  completes: 'directory',
  changesStore: true,
  examples: ['deploy public --project paws-co', 'deploy site.zip --project paws-co --json'],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const slug = text(values, 'project')
    if (slug === undefined) throw new UsageError('--project SLUG is missing.')
    if (positionals[0] === '') throw new UsageError('DIR is empty.')
    const config = storeConfig(values)
    const interrupted = new AbortController()
    terminal.onStop(() => interrupted.abort(new AppError('conflict', 'Interrupted. The website is as it was before.')))
    const bar = createProgress(terminal, systemClock)
    try {
      return await withStore(config, async (store) => {
        const project = projectOf(store, slug)
        const source = await openSource(positionals[0] ?? '')
        const { deployed, reserved, front } = await publishSource(
          store,
          config,
          project,
          source,
          bar,
          interrupted.signal,
        )
        bar.clear()
        if (reserved.length > 0) {
          const paths = reserved.length === 1 ? reserved[0] : `${reserved[0]} and ${reserved.length - 1} more`
          terminal.err(`petstore: The service itself serves ${paths}: left out of the website.\n`)
        }
        if (front !== 'index.html') {
          const advice = front === undefined ? 'Add one.' : `Did you mean the folder of ${front}?`
          terminal.err(
            `petstore: There is no index.html at the top of the website, so its home page is missing. ${advice}\n`,
          )
        }
        terminal.out(values['json'] ? `${JSON.stringify(deployed)}\n` : describe(store, values, project, deployed))
        return 0
      })
    } finally {
      bar.clear()
    }
  },
}

/** Something to deploy: its files are stored in a batch. */
type Source = (batch: FileBatch, bar: Progress, signal: AbortSignal) => Promise<Unpacked>

async function openSource(path: string): Promise<Source> {
  // Without a wait for a writer, if it is a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause) => {
    throw new AppError('not_found', `${path} can't be read: ${systemReason(cause)}.`, { cause })
  })
  try {
    const stats = await file.stat()
    if (stats.isDirectory()) return await folderSource(path)
    if (!stats.isFile()) {
      throw new UsageError(`${path} is neither a folder nor a file. Save the archive as a file first.`)
    }
    if (stats.size > maximumArchiveBytes) {
      throw new AppError('payload_too_large', `${path} has more than ${maximumArchiveBytes} bytes.`)
    }
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
    const type = typeOf(buffer)
    if (type !== undefined) return archiveSource(path, type)
    if (!/\.(zip|tar\.gz|tgz)$/i.test(path)) {
      throw new UsageError(`${path} is neither a folder nor a .zip or .tar.gz file.`)
    }
    throw new AppError('invalid_body', `${path} is damaged: it does not begin as a .zip or .tar.gz file does.`)
  } finally {
    await file.close()
  }
}

function typeOf(start: Buffer): ArchiveType | undefined {
  if (start.toString('latin1') === 'PK') return 'application/zip'
  return start.equals(Buffer.from([0x1f, 0x8b])) ? 'application/gzip' : undefined
}

async function folderSource(path: string): Promise<Source> {
  const folder = await readFolder(resolve(path), archiveLimits)
  return async (batch, bar, signal) => {
    let read = 0
    const entries = folder.entries((bytes) => {
      read += bytes
      bar.update(`Storing ${plural(folder.fileCount, 'file')}`, folder.bytes === 0 ? undefined : read / folder.bytes)
    })
    return await unpackEntries(untilAborted(entries, signal), {
      batch,
      nowMs: Date.now(),
      stripsTopFolder: false,
    }).catch((error) => {
      throw ofFolder(error)
    })
  }
}

async function* untilAborted(entries: AsyncIterable<ArchiveEntry>, signal: AbortSignal) {
  for await (const entry of entries) {
    signal.throwIfAborted()
    yield entry
  }
}

/** The rules for names are those of archives; here their errors are about a folder. */
function ofFolder(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'invalid_body') return error
  const message = error.message.replace(/^The archive is rejected: its entry /, 'The folder is rejected: its file ')
  return new AppError('invalid_body', message, { cause: error })
}

const archiveSource =
  (path: string, type: ArchiveType): Source =>
  async (batch, bar, signal) => {
    let bytes = 0
    const counting = {
      add: async (chunks: Parameters<FileBatch['add']>[0]) => {
        signal.throwIfAborted()
        const stored = await batch.add(chunks)
        bytes += stored.size
        bar.update(`Storing files: ${Math.round(bytes / 1_000_000)} MB`)
        return stored
      },
    }
    return await unpack(path, type, { batch: counting, nowMs: Date.now() })
  }

/** A running server can write between two steps. */
const pauseMs = 10

async function publishSource(
  store: CommandStore,
  config: StoreConfig,
  project: ProjectRow,
  source: Source,
  bar: Progress,
  signal: AbortSignal,
) {
  const batch = createStoreFiles(databasePath(config), { user: 'command' }).begin()
  try {
    const { manifest, reserved } = await source(batch, bar, signal)
    signal.throwIfAborted()
    bar.clear()
    bar.update('Writing the files to disk')
    await batch.commit()
    bar.clear()
    bar.update('Publishing')
    const context = { actor: 'command', nowMs: Date.now() } as const
    async function write<T>(work: () => T): Promise<T> {
      const result = store.write(work)
      await Bun.sleep(pauseMs)
      return result
    }
    const publication = { projectId: project.id, manifest, context, write, signal }
    const row = await publish(store, publication, async (change) => store.write(change))
    return { deployed: toDeploy(row, row.id), reserved, front: frontOf(manifest) }
  } finally {
    await batch.close()
  }
}

/** The path of the `index.html` that is nearest to the top. */
function frontOf(manifest: Manifest): string | undefined {
  const depthOf = (path: string) => path.split('/').length
  const pages = manifest.map(({ path }) => path).filter((path) => /(^|\/)index\.html$/.test(path))
  return pages.sort((a, b) => depthOf(a) - depthOf(b))[0]
}

function describe(store: CommandStore, values: OptionValues, project: ProjectRow, { fileCount, bytes, id }: Deploy) {
  const { url } = projectViewOf(store, values)(project)
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
  const content = `${plural(fileCount, 'file')}, ${size}`
  if (url !== null) return `Deploy ${id} of ${project.name} is live: ${content}.\n${url}\n`
  const advice = 'Nobody sees it, because hosting is off. Turn it on with: petstore serve --platform-domain DOMAIN'
  return `Deploy ${id} of ${project.name} is stored: ${content}.\n${advice}\n`
}
