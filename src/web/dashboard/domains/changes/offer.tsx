/** A note that offers to change something with one button. */

import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { showFailure } from '../../ui/feedback/notices.ts'

interface OfferProps {
  readonly children: ReactNode
  readonly label: string
  /** Makes the change; a failure is shown. */
  readonly onAccept: () => Promise<void>
}

export function Offer({ children, label, onAccept }: OfferProps) {
  const [isBusy, setBusy] = useState(false)

  async function accept(): Promise<void> {
    setBusy(true)
    try {
      await onAccept()
    } catch (error) {
      showFailure(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="domain-note" role="note">
      <span>{children}</span>
      <Button size="xs" variant="default" loading={isBusy} onClick={() => void accept()}>
        {label}
      </Button>
    </div>
  )
}
