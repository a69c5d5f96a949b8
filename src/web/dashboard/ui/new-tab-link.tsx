/** A link that opens in a new tab, and says so. */

import { VisuallyHidden } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export function NewTabLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
      <IconExternalLink size={14} aria-hidden="true" style={{ marginInlineStart: '0.3em' }} />
      <VisuallyHidden> (opens in a new tab)</VisuallyHidden>
    </a>
  )
}
