/** Asks before something that cannot be undone. */

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { explain } from '../../api/error.ts'
import { showFailure } from './notices.ts'
import { useIsShown } from './use-is-shown.ts'

interface ConfirmProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** The question, as in "Revoke the key “Website”?". */
  readonly title: string
  /** The consequences. */
  readonly children: ReactNode
  /** Verb and noun, as in "Revoke key". */
  readonly action: string
  /** The dialog closes once this resolves; an error is shown in it, or as a message if it has been closed before. */
  readonly onConfirm: () => Promise<unknown>
  readonly cancel?: string
  /** Nothing is lost: the button is not red. */
  readonly isHarmless?: boolean
}

export function Confirm({ opened, onClose, title, ...question }: ConfirmProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Question onClose={onClose} {...question} />
    </Modal>
  )
}

function Question({
  onClose,
  children,
  action,
  onConfirm,
  cancel = 'Cancel',
  isHarmless = false,
}: Omit<ConfirmProps, 'opened' | 'title'>) {
  const isShown = useIsShown()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  async function confirm(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      await onConfirm()
      if (isShown()) onClose()
    } catch (failure) {
      if (isShown()) setError(failure)
      else showFailure(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Stack>
      <div>{children}</div>
      {error !== undefined && <FormError error={error} />}
      <Group className="form-buttons" justify="flex-end">
        {/* The safe button has the focus. */}
        <Button variant="default" onClick={onClose} data-autofocus>
          {cancel}
        </Button>
        <Button color={isHarmless ? 'brand' : 'red'} loading={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </Group>
    </Stack>
  )
}

/** The error of a form, above its buttons. */
export function FormError({ error }: { readonly error: unknown }) {
  const { title, text } = explain(error)
  return (
    <div className="form-error" role="alert">
      <Text fw={600} size="sm">
        {title}
      </Text>
      <Text size="sm">{text}</Text>
    </div>
  )
}
