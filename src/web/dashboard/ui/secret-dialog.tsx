/**
 * Shows something that can be shown only once, such as a new key. Closing the dialog would lose it, so the dialog asks first
 * unless it was copied. It must be a lasting dialog, which stays open when its page is left.
 */

import { Alert, Button, Code, Flex, Group, Modal, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { type ReactNode, useRef, useState } from 'react'
import { CopyButton, type CopyButtonProps } from './copy.tsx'

/** The warning may begin below the visible part of the dialog. */
const scrollTo = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

interface SecretDialogProps {
  readonly title: string
  /** What it is, as in "Copy key". */
  readonly word: string
  /** Null if the connection broke before it could be shown. */
  readonly secret: string | null
  /** What to do if it is null. */
  readonly lost?: ReactNode
  /** To whom to give it. */
  readonly note: ReactNode
  readonly onClose: () => void
  /** What stands below the secret; gets a function to call when the secret was copied there. */
  readonly children?: (onCopied: () => void) => ReactNode
}

export function SecretDialog({ title, word, secret, lost, note, onClose, children }: SecretDialogProps) {
  const [isCopied, setCopied] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const onCopied = () => setCopied(true)
  const isUnread = secret !== null && !isCopied

  useWindowEvent('beforeunload', (event) => {
    if (isUnread) event.preventDefault()
  })

  function close(): void {
    if (isUnread && !isAsking) setAsking(true)
    else onClose()
  }

  return (
    // It grows when it asks: nothing may move that somebody is about to click.
    <Modal opened onClose={close} closeOnClickOutside={false} centered={false} title={title} size="lg">
      <Stack>
        {secret === null ? (
          <div>{lost}</div>
        ) : (
          <>
            <div>
              <strong>Copy it now: it is shown only once.</strong> {note}
            </div>
            <CopyBox
              title={word.charAt(0).toUpperCase() + word.slice(1)}
              text={secret}
              label={`Copy ${word}`}
              onCopied={onCopied}
              variant="filled"
              data-autofocus
            />
            {children?.(onCopied)}
          </>
        )}
        {isAsking && isUnread && (
          <Alert ref={scrollTo} color="amber" title={`You have not copied the ${word}.`}>
            It cannot be shown again. Copy it, or close anyway if you have written it down. A lost {word} can be
            replaced.
          </Alert>
        )}
        <Group className="form-buttons" justify="flex-end">
          <Button variant={isUnread ? 'default' : 'filled'} onClick={close}>
            {isAsking && isUnread ? 'Close anyway' : 'Done'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

interface CopyBoxProps extends Omit<CopyButtonProps, 'source'> {
  /** Stands above the text. */
  readonly title?: string
  /** The text is prose in lines, not code. */
  readonly isProse?: boolean
}

/** A text in a box, with the button that copies it. */
export function CopyBox({ title, isProse = false, ...button }: CopyBoxProps) {
  const source = useRef<HTMLElement>(null)
  return (
    <div>
      {title !== undefined && (
        <Text size="sm" fw={600} mb="0.35rem">
          {title}
        </Text>
      )}
      <Flex direction={{ base: 'column', sm: 'row' }} align={{ sm: 'flex-start' }} gap="xs">
        <Code block ref={source} flex={1} miw={0} style={{ userSelect: 'all' }} {...(isProse ? { ff: 'text' } : {})}>
          {button.text}
        </Code>
        <CopyButton flex="none" {...button} source={source} />
      </Flex>
    </div>
  )
}
