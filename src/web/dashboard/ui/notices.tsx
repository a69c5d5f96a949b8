/** Short messages at the edge of the window: a success, a warning or a failure. */

import { Box, Group } from '@mantine/core'
import { type NotificationData, notifications } from '@mantine/notifications'
import { type ReactNode, useRef } from 'react'
import { explain, isConnected, NoConnectionError } from '../api/error.ts'
import { refreshShown } from '../api/queries.ts'
import { isRefused, repeatFailed } from '../api/send.ts'
import { SignedOutError } from '../session/session.ts'
import { undoKey } from './message-keys.ts'
import { SmallButton } from './small.ts'

const shownMs = 6_000
/** A message with a button stays long enough to reach it. */
const shownWithButtonMs = 12_000

interface NoticeOptions {
  /** The thing that the message is about, such as `animal 7`: it replaces an earlier message with the same subject. */
  readonly subject?: string | undefined
  /** `warning`: nothing was done, and the person has to do something first. */
  readonly tone?: 'done' | 'warning'
  /** The message stays until it is closed. */
  readonly stays?: boolean
}

/** The ids of the visible messages by subject. */
const visible = new Map<string, string>()
let sequence = 0

/** Shows a message above the earlier ones; `content` gets a function that closes it. */
function showNotice(
  content: (close: () => void) => ReactNode,
  { subject, tone = 'done', stays = false, hasButton }: NoticeOptions & { readonly hasButton: boolean },
): void {
  const id = nextId(subject)
  notifications.show({
    id,
    priority: sequence,
    message: content(() => notifications.hide(id)),
    color: tone === 'done' ? 'brand' : 'amber',
    // A warning interrupts a screen reader: the button did not do what it says.
    role: tone === 'done' ? 'status' : 'alert',
    autoClose: !stays && (hasButton ? shownWithButtonMs : shownMs),
    closeButtonProps: { 'aria-label': 'Close this message' },
  })
}

/** The id of the next message; an earlier one about the same subject closes. */
function nextId(subject: string | undefined): string {
  const id = `notice ${++sequence}`
  if (subject !== undefined) {
    closeNotice(subject)
    visible.set(subject, id)
  }
  return id
}

/** Says that something is done. */
export function showDone(message: string, options: NoticeOptions = {}): void {
  showNotice(() => message, { ...options, hasButton: false })
}

/** Closes the message about a subject, if there is one. */
export function closeNotice(subject: string): void {
  const id = visible.get(subject)
  if (id !== undefined) notifications.hide(id)
  visible.delete(subject)
}

/** The messages about requests without a response, until the connection is back. */
const unconnected: NotificationData[] = []

isConnected.subscribe(() => {
  if (isConnected.get()) {
    for (const message of unconnected.splice(0)) notifications.update({ ...message, autoClose: shownWithButtonMs })
  }
})

/**
 * Says what failed and what to do. It stays until it is closed, or until the same failure happens again; if the connection
 * failed, until a moment after it is back, and `retry` can be pressed.
 */
export function showFailure(error: unknown, title?: string, retry?: () => unknown): void {
  if (error instanceof SignedOutError) return
  const { title: usualTitle, text } = explain(error)
  const shownTitle = title ?? usualTitle
  const id = nextId(`failure: ${shownTitle} ${text}`)
  const isUnconnected = error instanceof NoConnectionError
  const message: NotificationData = {
    id,
    priority: sequence,
    title: shownTitle,
    message:
      isUnconnected && retry !== undefined ? (
        <TextWithButton
          text={text}
          label="Try again"
          onPress={() => {
            notifications.hide(id)
            repeatFailed(error)
            retry()
          }}
        />
      ) : (
        text
      ),
    color: 'red',
    role: 'alert',
    autoClose: isUnconnected && isConnected.get() ? shownWithButtonMs : false,
    closeButtonProps: { 'aria-label': 'Close this message' },
  }
  notifications.show(message)
  if (isUnconnected) unconnected.push(message)
}

/**
 * Says what has been done. `undo` shows its own message. If it fails without a definite response, such as for lack of a
 * connection, it is offered again until the message is closed.
 */
export function showUndo(text: string, undo: () => Promise<unknown>, options: NoticeOptions = {}): void {
  const fail = (error: unknown) => {
    showFailure(error)
    if (!isRefused(error)) showUndo(text, undo, { ...options, tone: 'warning', stays: true })
  }
  showWithButton(text, 'Undo', () => void undo().then(refreshShown).catch(fail), options, undoKey)
}

/** The message closes when the button is pressed. F8 goes to the button, unless it has its own key. */
export function showWithButton(
  text: string,
  label: string,
  run: () => void,
  options: NoticeOptions = {},
  key = 'F8',
): void {
  showNotice(
    (close) => (
      <TextWithButton
        text={text}
        label={label}
        shortcut={key}
        onPress={() => {
          close()
          run()
        }}
      />
    ),
    { ...options, hasButton: true },
  )
}

interface TextWithButtonProps {
  readonly text: string
  readonly label: string
  readonly shortcut?: string
  readonly onPress: () => void
}

function TextWithButton({ text, label, shortcut = 'F8', onPress }: TextWithButtonProps) {
  // A closing message still takes clicks while it moves out.
  const isPressed = useRef(false)
  return (
    <Group justify="space-between" gap="xs">
      <Box component="span" flex="1 1 9rem" miw={0} className="breaks">
        {text}
      </Box>
      <SmallButton
        className={shortcut === undoKey ? 'undo-button' : undefined}
        onClick={() => {
          if (isPressed.current) return
          isPressed.current = true
          onPress()
        }}
      >
        {label} <kbd className="key">{shortcut}</kbd>
      </SmallButton>
    </Group>
  )
}
