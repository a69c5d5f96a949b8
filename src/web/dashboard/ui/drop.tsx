/** A field on which files are dropped. It is a shortcut of its buttons, which open the dialogs of `FileInput`s. */

import { Overlay, Paper, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { type ReactNode, type RefObject, useState } from 'react'
import './drop.css'

export function Drop({
  onDrop,
  children,
}: {
  readonly onDrop: (dropped: DataTransfer) => void
  readonly children: ReactNode
}) {
  const [isOver, setOver] = useState(false)
  return (
    <Stack
      align="center"
      gap="xs"
      px="md"
      py="xl"
      ta="center"
      className="drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onDrop(event.dataTransfer)
      }}
    >
      {children}
    </Stack>
  )
}

interface WindowDropProps {
  readonly onDrop: (dropped: DataTransfer) => void
  /** What is dropped, and for what. */
  readonly title: string
  readonly text: string
}

/** Takes files that are dropped anywhere on the page. */
export function WindowDrop({ onDrop, title, text }: WindowDropProps) {
  const [isOver, setOver] = useState(false)
  useWindowEvent('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  })
  useWindowEvent('dragleave', ({ relatedTarget }) => setOver(relatedTarget !== null))
  useWindowEvent('drop', (event) => {
    setOver(false)
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    onDrop(event.dataTransfer)
  })
  return (
    isOver && (
      <Overlay fixed center backgroundOpacity={0.55} p="md">
        <Paper p="xl" ta="center" className="drop" data-over>
          <Text size="lg" fw={650}>
            {title}
          </Text>
          <Text c="dimmed">{text}</Text>
        </Paper>
      </Overlay>
    )
  )
}

interface FileInputProps {
  readonly ref: RefObject<HTMLInputElement | null>
  readonly label: string
  readonly onChoose: (files: FileList) => void
  readonly accept?: string
  readonly multiple?: boolean
  /** The camera of a phone that takes the picture. */
  readonly capture?: 'environment'
  /** Whether a folder is chosen, with all files in it. */
  readonly isFolder?: boolean
}

/** It is hidden; a button clicks it. */
export function FileInput({ ref, label, onChoose, isFolder = false, ...props }: FileInputProps) {
  return (
    <input
      {...props}
      {...(isFolder ? { webkitdirectory: '' } : {})}
      ref={ref}
      type="file"
      hidden
      aria-label={label}
      onChange={({ currentTarget }) => {
        if (currentTarget.files?.length) onChoose(currentTarget.files)
        // The same file can be chosen again.
        currentTarget.value = ''
      }}
    />
  )
}
