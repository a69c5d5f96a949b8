/** A form with its buttons. It is sent once: while a request is running, nothing sends it again. */

import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { forgetFailed } from '../../api/send.ts'
import { FormError } from '../feedback/confirm.tsx'
import { showFailure } from '../feedback/notices.ts'
import { useIsShown } from '../feedback/use-is-shown.ts'

interface FormProps {
  /** Checks the fields and sends them. An error that it throws belongs to no field and is shown above the buttons, or as a message if the form has been closed. */
  readonly onSubmit: () => Promise<void>
  /** Verb and noun, as in "Create key". */
  readonly action: string
  /** Without it, there is no button to cancel. */
  readonly onCancel?: () => void
  readonly isDisabled?: boolean
  readonly children: ReactNode
}

export function Form({ onSubmit, action, onCancel, isDisabled = false, children }: FormProps) {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const isShown = useIsShown()
  // A second click can come before the button is shown as busy.
  const isSending = useRef(false)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (isSending.current) return
    isSending.current = true
    setError(undefined)
    setBusy(true)
    try {
      await onSubmit()
    } catch (failure) {
      if (isShown()) setError(failure)
      else showFailure(failure)
    } finally {
      isSending.current = false
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        {children}
        {error !== undefined && <FormError error={error} />}
        <Group className="form-buttons" justify={onCancel === undefined ? 'flex-start' : 'flex-end'}>
          {onCancel !== undefined && (
            <Button
              variant="default"
              onClick={() => {
                forgetFailed()
                onCancel()
              }}
            >
              Cancel
            </Button>
          )}
          <Button type="submit" loading={isBusy} disabled={isDisabled}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
