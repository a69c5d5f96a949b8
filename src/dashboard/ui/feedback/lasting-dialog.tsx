/** A dialog that stays open while the page below it changes, for what would be lost with the page. */

import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

interface LastingDialog {
  readonly isOpen: boolean
  /** Shows a dialog, also for a page that has been left meanwhile; undefined removes it. */
  readonly show: (dialog: ReactNode) => void
}

const LastingDialogContext = createContext<LastingDialog | undefined>(undefined)

export function LastingDialogProvider({ children }: { readonly children: ReactNode }) {
  const [dialog, show] = useState<ReactNode>()
  const value = useMemo(() => ({ isOpen: dialog !== undefined, show }), [dialog])
  return (
    <LastingDialogContext value={value}>
      {children}
      {dialog}
    </LastingDialogContext>
  )
}

export function useLastingDialog(): LastingDialog {
  const value = useContext(LastingDialogContext)
  if (value === undefined) throw new Error('The provider of the lasting dialog is missing.')
  return value
}
