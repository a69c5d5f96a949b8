/** Publishes a website: a folder or an archive is dropped here, or chosen. */

import { Button, Progress } from '@mantine/core'
import { IconCloudUpload } from '@tabler/icons-react'
import { type DragEvent, useRef, useState } from 'react'
import { FormError } from '../../ui/feedback/confirm.tsx'
import type { Project } from '../queries.ts'
import { filesOfDrop, filesOfInput } from './collect-files.ts'
import { publish, usePublishing } from './publishing.ts'
import '../../ui/drop.css'

export function DropZone({ project }: { readonly project: Project }) {
  const [isOver, setOver] = useState(false)
  const { running, problem, error } = usePublishing(project.id)
  /** Whether something was dropped while something else is being published. */
  const [isTooEarly, setTooEarly] = useState(false)
  const folderInput = useRef<HTMLInputElement>(null)
  const archiveInput = useRef<HTMLInputElement>(null)

  function onDrop(event: DragEvent): void {
    event.preventDefault()
    setOver(false)
    setTooEarly(running !== undefined)
    if (running === undefined) void publish(project, filesOfDrop(event.dataTransfer.items))
  }

  function onChosen(input: HTMLInputElement): void {
    setTooEarly(false)
    if (input.files !== null && input.files.length > 0)
      void publish(project, Promise.resolve(filesOfInput(input.files)))
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
          {isTooEarly && (
            <p className="quiet">Drop the next files when this is done{running.cancel && ', or cancel it first'}.</p>
          )}
          <Progress
            value={(running.part ?? 1) * 100}
            animated={running.part === undefined}
            aria-label="Progress of the upload"
          />
          {running.cancel && (
            <div className="drop-buttons">
              <Button variant="default" size="xs" onClick={running.cancel}>
                Cancel upload
              </Button>
            </div>
          )}
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
