/** Changes that a person makes with a button or a form: one at a time, and with the failure in words. */

import type { ButtonProps } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { refreshShown } from '../api/queries.ts'
import { repeatFailed } from '../api/send.ts'
import { showFailure } from './notices.tsx'
import { SmallButton } from './small.ts'

/** Returns a function that says whether the component is shown: the result of something long needs a message otherwise. */
export function useIsShown(): () => boolean {
  const shown = useRef(false)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  return () => shown.current
}

/** `error` is that of the last change. If the component has left meanwhile, a message says it instead. */
export function useChange() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const isShown = useIsShown()
  // A second click can come before the button is shown as busy.
  const isRunning = useRef(false)

  async function run(change: () => Promise<unknown>): Promise<void> {
    if (isRunning.current) return
    isRunning.current = true
    repeatFailed(error)
    setError(undefined)
    setBusy(true)
    try {
      await change()
    } catch (failure) {
      if (isShown()) setError(failure)
      else showFailure(failure, undefined, () => run(change))
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }

  return { isBusy, error, run, isShown }
}

interface ChangeButtonProps extends ButtonProps {
  readonly change: () => Promise<unknown>
  /** What failed, if it does, as in "The backup failed". */
  readonly failure?: string
  readonly 'aria-label'?: string
  readonly children: ReactNode
}

/** A small button that makes a change at once, and is busy until the page shows it. A failure is shown as a message. */
export function ChangeButton({ change, failure, ...button }: ChangeButtonProps) {
  const { isBusy, run } = useChange()

  async function press(): Promise<void> {
    try {
      await change()
    } catch (error) {
      showFailure(error, failure, () => run(press))
      // Somebody may have changed the same meanwhile. Without a connection this takes long, and nobody waits for it.
      void refreshShown()
      return
    }
    await refreshShown()
  }

  return <SmallButton loading={isBusy} onClick={() => void run(press)} {...button} />
}
