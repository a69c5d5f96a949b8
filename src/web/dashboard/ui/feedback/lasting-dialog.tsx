/** Dialogs that stay open while the page below them changes, for what would be lost with the page. One is shown at a time. */

import { createContext, type ReactElement, type ReactNode, useContext, useMemo, useState } from 'react'

interface LastingDialog {
  readonly isOpen: boolean
  /** Shows a dialog, once the earlier ones are closed; also for a page that has been left meanwhile. It needs a key of its own. */
  readonly show: (dialog: ReactElement) => void
  /** Removes the dialog that is shown. */
  readonly close: () => void
}

const LastingDialogContext = createContext<LastingDialog | undefined>(undefined)

export function LastingDialogProvider({ children }: { readonly children: ReactNode }) {
  const [dialogs, setDialogs] = useState<readonly ReactElement[]>([])
  const value = useMemo(
    () => ({
      isOpen: dialogs.length > 0,
      show: (dialog: ReactElement) => setDialogs((before) => [...before, dialog]),
      close: () => setDialogs(([, ...rest]) => rest),
    }),
    [dialogs],
  )
  return (
    <LastingDialogContext value={value}>
      {children}
      {dialogs[0]}
    </LastingDialogContext>
  )
}

export function useLastingDialog(): LastingDialog {
  const value = useContext(LastingDialogContext)
  if (value === undefined) throw new Error('The provider of the lasting dialog is missing.')
  return value
}
