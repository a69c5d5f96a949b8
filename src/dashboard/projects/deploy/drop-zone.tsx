/** Publishes a website: a folder or an archive is dropped here, or chosen. */

import { Button, Progress } from '@mantine/core'
import { IconCloudUpload } from '@tabler/icons-react'
import { type DragEvent, useRef, useState } from 'react'
import { isCancelled, upload } from '../../api/upload.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { showUndo } from '../../ui/feedback/undo.tsx'
import { useIsShown } from '../../ui/feedback/use-is-shown.ts'
import { countOf, formatBytes, isolated } from '../../ui/format.ts'
import { type Deploy, type Project, promote, refreshProjects } from '../queries.ts'
import { liveWords } from '../site.ts'
import { filesProblem, isSingleArchive } from './check-files.ts'
import { filesOfDrop, filesOfInput, type SiteFile } from './collect-files.ts'
import { pack } from './pack.ts'
import '../../ui/drop.css'

const largestArchive = 100 * 2 ** 20

interface Running {
  readonly text: string
  /** Between 0 and 1; undefined while it is not known. */
  readonly part: number | undefined
  readonly cancel: AbortController
}

export function DropZone({ project }: { readonly project: Project }) {
  const [isOver, setOver] = useState(false)
  const [running, setRunning] = useState<Running>()
  /** Whether something was dropped while something else is being published. */
  const [isTooEarly, setTooEarly] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [error, setError] = useState<unknown>()
  const isShown = useIsShown()
  const folderInput = useRef<HTMLInputElement>(null)
  const archiveInput = useRef<HTMLInputElement>(null)

  async function publish(found: Promise<readonly SiteFile[]>): Promise<void> {
    const cancel = new AbortController()
    setError(undefined)
    setProblem(undefined)
    setTooEarly(false)
    setRunning({ text: 'Reading the files…', part: undefined, cancel })
    try {
      const files = await found
      const wrong = filesProblem(files.map(({ path }) => path))
      if (wrong !== undefined) return reject(wrong)
      setRunning({ text: `Packing ${countOf(files.length, 'file')}…`, part: undefined, cancel })
      const [archive, type] = await archiveOf(files)
      if (archive.size > largestArchive) {
        return reject(
          `These files are ${formatBytes(archive.size)} when packed. At most 100 MB fit: leave out large ones.`,
        )
      }
      const text = `Uploading ${formatBytes(archive.size)}…`
      const onProgress = (part: number) =>
        setRunning({ text: part < 1 ? text : 'Publishing…', part: part < 1 ? part : undefined, cancel })
      const path = `/projects/${project.id}/deploys`
      const deploy = await upload<Deploy>(path, archive, type, { onProgress, signal: cancel.signal })
      const done = `${countOf(deploy.fileCount, 'file')} published. ${liveWords(project, isolated(project.name))}`
      const before = project.liveDeploy
      if (before === null) showDone(done)
      else showUndo(done, () => promote(project.id, before.id))
      await refreshProjects()
    } catch (failure) {
      if (isCancelled(failure)) return
      setError(failure)
      if (!isShown()) showFailure(failure, `Publishing ${isolated(project.name)} failed`)
    } finally {
      setRunning(undefined)
    }
  }

  function reject(text: string): void {
    setProblem(text)
    if (!isShown()) showDone(text, { tone: 'warning' })
  }

  function onDrop(event: DragEvent): void {
    event.preventDefault()
    setOver(false)
    if (running === undefined) void publish(filesOfDrop(event.dataTransfer.items))
    else setTooEarly(true)
  }

  function onChosen(input: HTMLInputElement): void {
    if (input.files !== null && input.files.length > 0) void publish(Promise.resolve(filesOfInput(input.files)))
    input.value = ''
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut of its buttons
    <div
      className="drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {running === undefined ? (
        <>
          <IconCloudUpload size={36} aria-hidden="true" />
          <div className="drop-title drop-mouse">Drop the folder with your website here</div>
          <div className="drop-title drop-touch">Choose the .zip file with your website</div>
          <div className="quiet">
            <span className="drop-mouse">Or a .zip or .tar.gz file.</span>{' '}
            <span className="drop-touch">Or its folder, if your phone lets you.</span> It needs an index.html.
          </div>
          <div className="drop-buttons">
            <Button onClick={() => folderInput.current?.click()}>Choose folder</Button>
            <Button variant="default" onClick={() => archiveInput.current?.click()}>
              Choose file
            </Button>
          </div>
        </>
      ) : (
        <div className="drop-progress" role="status">
          <p>{running.text}</p>
          {isTooEarly && <p className="quiet">Drop the next files when this is done, or cancel it first.</p>}
          <Progress
            value={(running.part ?? 1) * 100}
            animated={running.part === undefined}
            aria-label="Progress of the upload"
          />
          <div className="drop-buttons">
            <Button variant="default" size="xs" onClick={() => running.cancel.abort()}>
              Cancel upload
            </Button>
          </div>
        </div>
      )}
      {problem !== undefined && (
        <p className="form-error" role="alert">
          {problem}
        </p>
      )}
      {error !== undefined && <FormError error={error} />}
      <input
        ref={folderInput}
        type="file"
        aria-label="Folder with the website"
        multiple
        {...{ webkitdirectory: '' }}
        onChange={({ currentTarget }) => onChosen(currentTarget)}
      />
      <input
        ref={archiveInput}
        type="file"
        aria-label="Archive or files of the website"
        multiple
        onChange={({ currentTarget }) => onChosen(currentTarget)}
      />
    </div>
  )
}

async function archiveOf(files: readonly SiteFile[]): Promise<[archive: Blob, type: string]> {
  const [first] = files
  if (first !== undefined && isSingleArchive(files.map(({ path }) => path))) {
    return [first.file, /\.zip$/i.test(first.path) ? 'application/zip' : 'application/gzip']
  }
  return [await pack(files), 'application/gzip']
}
