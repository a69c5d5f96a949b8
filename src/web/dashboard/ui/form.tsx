/** Forms: their fields with their problems, and their buttons. A dialog's form is created again each time the dialog opens. */

import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { explain } from '../api/error.ts'
import { refreshShown } from '../api/queries.ts'
import { forgetFailed } from '../api/send.ts'
import { useChange } from './change.tsx'
import { defined } from './input.ts'

/** An input that can have the focus. */
type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * The values of a form's fields, and their problems. `onChange` is called with all values whenever one changes.
 */
export function useFields<T extends object>(initial: T | (() => T), onChange: (values: T) => void = () => {}) {
  const [values, setValues] = useState(initial)
  const [wrong, setWrong] = useState<{ readonly [F in keyof T]?: string }>({})
  const inputs = useRef(new Map<keyof T, Input>())
  // Two fields can change before the next rendering, for instance when a password manager fills both in.
  const latest = useRef(values)

  function change(next: Partial<T>): void {
    latest.current = { ...latest.current, ...next }
    setValues(latest.current)
    setWrong(({ ...others }) => {
      for (const field of Object.keys(next)) delete others[field as keyof T]
      return others
    })
    onChange(latest.current)
  }

  function focus(field: keyof T): void {
    inputs.current.get(field)?.focus()
  }

  return {
    values,
    wrong,
    change,
    focus,
    /** The values now, also for what began with an earlier rendering. */
    latest: () => latest.current,
    /** The properties that connect an input with a field. */
    of<F extends keyof T>(field: F) {
      return {
        ref: (input: Input | null) => {
          if (input) inputs.current.set(field, input)
          else inputs.current.delete(field)
        },
        value: values[field],
        error: wrong[field],
        onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
          change({ [field]: currentTarget.value } as unknown as Partial<T>),
      }
    },
    /** Shows the problems of some fields, and focuses the first of them. Returns whether there are any. */
    reject(problems: { readonly [F in keyof T]?: string | undefined }): boolean {
      const found = Object.entries(problems).filter(([, problem]) => problem !== undefined)
      setWrong(Object.fromEntries(found) as { [F in keyof T]?: string })
      const input = inputs.current.get(found[0]?.[0] as keyof T)
      input?.focus()
      if (input instanceof HTMLInputElement) input.select()
      return found.length > 0
    },
  }
}

/** The properties of an input for a name that counts letter by letter, such as that of a host. */
export const verbatim = { autoCapitalize: 'none', autoComplete: 'off', spellCheck: false } as const

interface FormProps {
  /**
   * Checks the fields and sends them. Gets a function that says whether the form is still shown: a form that was closed before
   * its response arrived closes nothing and leads nowhere. An error that it throws belongs to no field and is shown above the
   * buttons, or as a message.
   */
  readonly onSubmit: (isShown: () => boolean) => Promise<unknown>
  /** Verb and noun, as in "Create key". */
  readonly action: string
  /** Without it, there is no button to cancel. */
  readonly onCancel?: () => void
  readonly cancel?: string
  /** The form is a question: the focus is on the safe button. */
  readonly isQuestion?: boolean
  readonly color?: 'red' | 'brand'
  readonly isDisabled?: boolean
  /** The button is as wide as the form. */
  readonly isWide?: boolean
  /** Further buttons beside the last one. */
  readonly buttons?: ReactNode
  readonly children: ReactNode
}

export function Form(props: FormProps) {
  const { onSubmit, action, onCancel, cancel = 'Cancel', isQuestion, color = 'brand' } = props
  const { isBusy, error, run, isShown } = useChange()

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    void run(async () => {
      await onSubmit(isShown)
      void refreshShown()
    })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {props.children}
        {error !== undefined && <FormError error={error} />}
        <Group
          className="form-buttons"
          gap={props.buttons === undefined ? 'md' : 'xs'}
          justify={onCancel === undefined ? 'flex-start' : 'flex-end'}
        >
          {onCancel !== undefined && (
            <Button
              variant="default"
              data-autofocus={isQuestion}
              onClick={() => {
                forgetFailed()
                onCancel()
              }}
            >
              {cancel}
            </Button>
          )}
          {props.buttons}
          <Button
            type="submit"
            color={color}
            loading={isBusy}
            disabled={props.isDisabled ?? false}
            fullWidth={props.isWide ?? false}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface ConfirmProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** The question, as in "Revoke the key “Website”?". */
  readonly title: string
  /** The consequences. */
  readonly children: ReactNode
  /** Verb and noun, as in "Revoke key". */
  readonly action: string
  /** The dialog closes once this resolves. */
  readonly onConfirm: () => Promise<unknown>
  readonly cancel?: string
  /** Nothing is lost: the button is not red. */
  readonly isHarmless?: boolean
}

/** Asks before something that cannot be undone. */
export function Confirm({ opened, onClose, title, children, onConfirm, isHarmless = false, ...form }: ConfirmProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Form
        {...form}
        onSubmit={async (isShown) => {
          await onConfirm()
          if (isShown()) onClose()
        }}
        onCancel={onClose}
        isQuestion
        color={isHarmless ? 'brand' : 'red'}
      >
        <div>{children}</div>
      </Form>
    </Modal>
  )
}

interface ConfirmButtonProps extends Omit<ConfirmProps, 'opened' | 'onClose'> {
  readonly size?: 'xs'
  readonly label?: string
}

/** The button of such an action; `label` is for screen readers. */
export function ConfirmButton({ size, label, ...confirm }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button variant="default" flex="none" {...defined({ size, 'aria-label': label })} onClick={() => setAsking(true)}>
        {confirm.action}
      </Button>
      <Confirm {...confirm} opened={isAsking} onClose={() => setAsking(false)} />
    </>
  )
}

/** The error of a form, above its buttons. */
export function FormError({ error }: { readonly error: unknown }) {
  const { title, text } = explain(error)
  return (
    <Alert color="red" title={title}>
      {text}
    </Alert>
  )
}
