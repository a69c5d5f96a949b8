/** Dialogs that stay open while the page below them changes, for what would be lost with the page. One is shown at a time. */

import { Fragment, type ReactElement } from 'react'
import { createSignal, useSignal } from '../signal.ts'

const dialogs = createSignal<readonly ReactElement[]>([])

/** Shows a dialog, once the earlier ones are closed; also for a page that has been left meanwhile. It needs its own key. */
export const showLastingDialog = (dialog: ReactElement): void => dialogs.set([...dialogs.get(), dialog])

/** Removes the dialog that is shown. */
export const closeLastingDialog = (): void => dialogs.set(dialogs.get().slice(1))

export const useHasLastingDialog = (): boolean => useSignal(dialogs, ({ length }) => length > 0)

export function LastingDialog() {
  return <Fragment>{useSignal(dialogs)[0]}</Fragment>
}
