/** Publishes a website: a folder or an archive is dropped here, or chosen. */

import { Box, Button, Group, Progress, Text } from '@mantine/core'
import { IconCloudUpload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { Drop, DropProblem, FileInput } from '../ui/drop.tsx'
import { FormError } from '../ui/form.tsx'
import { publish, usePublishing } from './publishing.ts'
import type { Project } from './queries.ts'
import { filesOfDrop, filesOfInput } from './site-files.ts'

export function DropZone({ project }: { readonly project: Project }) {
  const { running, problem, error } = usePublishing(project.id)
  /** Whether something was dropped while something else is being published. */
  const [isTooEarly, setTooEarly] = useState(false)
  const folderInput = useRef<HTMLInputElement>(null)
  const archiveInput = useRef<HTMLInputElement>(null)

  function onDrop({ items }: DataTransfer): void {
    setTooEarly(running !== undefined)
    if (running === undefined) void publish(project, filesOfDrop(items))
  }

  function onChoose(files: FileList): void {
    setTooEarly(false)
    void publish(project, Promise.resolve(filesOfInput(files)))
  }

  return (
    <Drop onDrop={onDrop}>
      {running === undefined ? (
        <>
          <IconCloudUpload size={36} aria-hidden="true" />
          <Text fz="1.05rem" fw={650} className="drop-mouse">
            Drop the folder with your website here
          </Text>
          <Text fz="1.05rem" fw={650} className="drop-touch">
            Choose the .zip file with your website
          </Text>
          <Text size="sm" c="dimmed">
            <span className="drop-mouse">Or a .zip or .tar.gz file.</span>{' '}
            <span className="drop-touch">Or its folder, if your phone lets you.</span> It needs an index.html.
          </Text>
          <Group justify="center" gap="xs" mt="xs">
            <Button onClick={() => folderInput.current?.click()}>Choose folder</Button>
            <Button variant="default" onClick={() => archiveInput.current?.click()}>
              Choose file
            </Button>
          </Group>
        </>
      ) : (
        <Box w="min(24rem, 100%)" role="status">
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
            <Button mt="sm" variant="default" size="xs" onClick={running.cancel}>
              Cancel upload
            </Button>
          )}
        </Box>
      )}
      {problem !== undefined && <DropProblem>{problem}</DropProblem>}
      {error !== undefined && <FormError error={error} />}
      <FileInput ref={folderInput} label="Folder with the website" multiple isFolder onChoose={onChoose} />
      <FileInput ref={archiveInput} label="Archive or files of the website" multiple onChoose={onChoose} />
    </Drop>
  )
}
