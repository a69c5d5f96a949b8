/** Publishing a website. It continues while its page is left, and the page shows it when it is opened again. */

import { useEffect } from 'react'
import { refreshShown } from '../api/queries.ts'
import { isCancelled, upload } from '../api/upload.ts'
import { createSignal, useSignal } from '../signal.ts'
import { countOf, formatBytes, isolated } from '../ui/format.ts'
import { showDone, showFailure, showUndo } from '../ui/notices.tsx'
import { pack } from './pack.ts'
import { type Deploy, type Project, promote } from './queries.ts'
import { liveWords } from './site.tsx'
import { filesProblem, isSingleArchive, type SiteFile } from './site-files.ts'

const largestArchive = 100 * 2 ** 20

interface Running {
  readonly text: string
  /** Between 0 and 1; undefined while it is not known. */
  readonly part: number | undefined
  /** Undefined once the server has all files: it publishes them then, whether or not somebody waits for its response. */
  readonly cancel?: () => void
}

interface Publishing {
  readonly running?: Running
  /** Why the chosen files cannot be published. */
  readonly problem?: string
  readonly error?: unknown
}

const idle: Publishing = {}
/** By the ids of projects. */
const publishing = createSignal<ReadonlyMap<number, Publishing>>(new Map())
/** The projects whose page is open. Elsewhere, a message reports the result. */
const shown = new Set<number>()

const set = (projectId: number, next: Publishing): void =>
  publishing.set(new Map(publishing.get()).set(projectId, next))

/** The progress of publishing a project; one component at a time shows it. */
export function usePublishing(projectId: number): Publishing {
  useEffect(() => {
    shown.add(projectId)
    return () => {
      shown.delete(projectId)
      // An old problem is not shown again.
      if (publishing.get().get(projectId)?.running === undefined) set(projectId, idle)
    }
  }, [projectId])
  return useSignal(publishing, (all) => all.get(projectId) ?? idle)
}

/** Publishes files; the messages and the state show the result. */
export async function publish(project: Project, found: Promise<readonly SiteFile[]>): Promise<void> {
  const { id, hasWebshop } = project
  const abort = new AbortController()
  const run = (text: string, part?: number) => set(id, { running: { text, part, cancel: () => abort.abort() } })
  run('Reading the files…')
  try {
    const files = await found
    const wrong = filesProblem(
      files.map(({ path }) => path),
      hasWebshop,
    )
    if (wrong !== undefined) return reject(id, wrong)
    run(`Packing ${countOf(files.length, 'file')}…`)
    const [archive, type] = await archiveOf(files)
    if (archive.size > largestArchive) {
      const size = formatBytes(archive.size)
      return reject(id, `These files are ${size} when packed, and at most 100 MB are allowed. Leave out large ones.`)
    }
    const text = `Uploading ${formatBytes(archive.size)}…`
    const onProgress = (part: number) =>
      part < 1 ? run(text, part) : set(id, { running: { text: 'Publishing…', part: undefined } })
    const deploy = await upload<Deploy>(`/projects/${id}/deploys`, archive, type, { onProgress, signal: abort.signal })
    const home =
      deploy.hasHomePage || hasWebshop ? '' : ' There is no index.html at its top, so its home page is missing.'
    const done = `${countOf(deploy.fileCount, 'file')} published. ${liveWords(project, isolated(project.name))}${home}`
    const before = project.liveDeploy
    if (before === null) showDone(done)
    else showUndo(done, () => promote(id, before.id))
    await refreshShown()
    set(id, idle)
  } catch (failure) {
    const isReported = isCancelled(failure) || !shown.has(id)
    set(id, isReported ? idle : { error: failure })
    if (isReported && !isCancelled(failure)) showFailure(failure, `Publishing ${isolated(project.name)} failed`)
  }
}

function reject(projectId: number, problem: string): void {
  const isShown = shown.has(projectId)
  set(projectId, isShown ? { problem } : idle)
  if (!isShown) showDone(problem, { tone: 'warning' })
}

async function archiveOf(files: readonly SiteFile[]): Promise<[archive: Blob, type: string]> {
  const [first] = files
  if (first !== undefined && isSingleArchive(files.map(({ path }) => path))) {
    return [first.file, /\.zip$/i.test(first.path) ? 'application/zip' : 'application/gzip']
  }
  return [await pack(files), 'application/gzip']
}
