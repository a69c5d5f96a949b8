/** `petstore deploy`: publishes a folder or an archive as the website of a project. */

import { constants, createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text, UsageError } from '../../config/values.ts'
import { packTarGz, readFolder, topFolder } from '../../hosting/deploys/archive/pack.ts'
import { type ArchiveType, archiveLimits, maximumArchiveBytes } from '../../hosting/deploys/archive/unpack.ts'
import { isReserved } from '../../hosting/deploys/manifest.ts'
import type { Deploy } from '../../hosting/deploys/schemas.ts'
import type { Project } from '../../hosting/projects/schemas.ts'
import { byteSize } from '../../lib/byte-size.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { systemReason } from '../../lib/system-error.ts'
import { withClient } from '../client/client.ts'
import type { Command, Invocation } from '../command.ts'
import { interruption } from '../terminal/interruption.ts'
import { plural, print } from '../terminal/output.ts'
import { createProgress } from '../terminal/progress.ts'
import { projectOf } from './projects.ts'

export const deploy: Command = {
  name: 'deploy',
  summary: 'publish a folder as the website of a project',
  details:
    'DIR is a folder, or a .zip or .tar.gz file. node_modules and names that begin with a dot are left out, except .well-known; symbolic links are an error, and so is a folder or an archive that contains data of the service. The folder is packed and uploaded; the website changes in one step when everything is stored. --json prints the deploy. Ctrl+C during the upload leaves the website unchanged.',
  operands: 'DIR',
  arity: [1, 1],
  options: {
    project: { value: 'SLUG', help: 'the slug of the project', default: 'required' },
  },
  completes: 'directory',
  changesStore: true,
  examples: ['deploy public --project paws-co', 'deploy site.zip --project paws-co --json'],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const slug = text(values, 'project')
    if (slug === undefined) throw new UsageError('--project SLUG is missing.')
    const source = await openSource(positionals[0] ?? '')
    const interrupted = interruption(terminal, {
      ifUnsent: 'The website is unchanged.',
      ifSent: 'The service may still publish what it has received.',
    })
    const bar = createProgress(terminal, systemClock)

    async function* body(): AsyncGenerator<Uint8Array> {
      yield* source.body((share) => bar.update(`Uploading ${source.what}`, share))
      interrupted.sent()
      bar.clear()
      bar.update('Publishing')
    }

    try {
      const { project, deployed } = await withClient(invocation, async (client) => {
        const found = await projectOf(client, slug)
        const { type, bytes } = source
        const upload = { type, bytes, body: body(), signal: interrupted.signal }
        return { project: found, deployed: await client.upload<Deploy>(`/projects/${found.id}/deploys`, upload) }
      })
      bar.clear()
      for (const warning of source.warnings) terminal.err(`petstore: ${warning}\n`)
      // A server of another version may not say it. The web shop has a home page.
      if (deployed.hasHomePage === false && !project.hasWebshop)
        terminal.err(`petstore: ${noHomePage} ${source.homePageAdvice}\n`)
      print(invocation, deployed, describe(project, deployed))
      return 0
    } catch (error) {
      throw source.explain(error)
    } finally {
      bar.clear()
    }
  },
}

/** Something to deploy. */
interface Source {
  /** The words for it in the progress bar. */
  readonly what: string
  readonly type: ArchiveType
  /** The length of the body, where it is known. */
  readonly bytes?: number
  /** Calls `onProgress` with the share that was read, from 0 to 1. */
  body(onProgress: (share: number) => void): AsyncIterable<Uint8Array>
  /** To print once it is published. */
  readonly warnings: readonly string[]
  /** The advice if it has no `index.html` at its top. */
  readonly homePageAdvice: string
  /** The error of a deploy in words about the source. */
  explain(error: unknown): unknown
}

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
    if (type !== undefined) return archiveSource(path, type, stats.size)
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
  const { names, bytes, entries } = await readFolder(resolve(path), archiveLimits)
  return {
    what: plural(names.length, 'file'),
    type: 'application/gzip',
    body(onProgress) {
      let read = 0
      return packTarGz(
        entries((more) => {
          read += more
          onProgress(read / bytes)
        }),
      )
    },
    warnings: warningsOf(names),
    homePageAdvice: homePageAdviceFor(names),
    explain: ofFolder,
  }
}

/** The rules for names and contents are those of archives; here their errors are about a folder. */
function ofFolder(error: unknown): unknown {
  if (!(error instanceof AppError) || !/^(invalid_body|payload_too_large)$/.test(error.code)) return error
  const message = error.message
    .replace(/^The body has /, 'The packed folder has ')
    .replace(/^The archive is rejected: /, 'The folder is rejected: ')
    .replace('its entry ', 'its file ')
    .replaceAll(`"${topFolder}/`, '"')
  return new AppError(error.code, message, { cause: error })
}

function archiveSource(path: string, type: ArchiveType, bytes: number): Source {
  return {
    what: path,
    type,
    bytes,
    async *body(onProgress) {
      let read = 0
      for await (const chunk of createReadStream(path)) {
        yield chunk
        read += chunk.byteLength
        onProgress(read / bytes)
      }
    },
    warnings: [],
    homePageAdvice: 'Add one.',
    explain: (error) => error,
  }
}

function warningsOf(names: readonly string[]): string[] {
  const reserved = names.filter(isReserved)
  const paths = reserved.length <= 1 ? reserved[0] : `${reserved[0]} and ${reserved.length - 1} more`
  return reserved.length === 0 ? [] : [`The service itself serves ${paths}: left out of the website.`]
}

const noHomePage = 'There is no index.html at the top of the website, so its home page is missing.'

function homePageAdviceFor(names: readonly string[]): string {
  const front = frontOf(names)
  return front === undefined ? 'Add one.' : `Did you mean the folder of ${front}?`
}

/** The path of the `index.html` that is nearest to the top. */
function frontOf(names: readonly string[]): string | undefined {
  const depthOf = (path: string) => path.split('/').length
  const pages = names.filter((path) => /(^|\/)index\.html$/.test(path) && !isReserved(path))
  return pages.sort((a, b) => depthOf(a) - depthOf(b))[0]
}

function describe({ name, url }: Project, { fileCount, bytes, id }: Deploy): string {
  const content = `${plural(fileCount, 'file')}, ${byteSize(bytes)}`
  if (url !== null) return `Deploy ${id} of ${name} is live: ${content}.\n${url}\n`
  const advice =
    'It is not visible yet, because hosting is off. Turn it on with: petstore serve --platform-domain DOMAIN'
  return `Deploy ${id} of ${name} is stored: ${content}.\n${advice}\n`
}
