/** The rows of a section of settings: each says what is set, and has the buttons that change it. */

import { Box, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Quiet } from '../ui/small.ts'

export function Rows({ children }: { readonly children: ReactNode }) {
  return <div className="divided">{children}</div>
}

/** What went wrong, within a row. */
export const Fault = Text.withProps({ size: 'md', c: 'var(--bad)' })

interface RowProps {
  /** May end with a status. */
  readonly title: ReactNode
  /** The details, in quiet type. */
  readonly children: ReactNode
  readonly buttons?: ReactNode
}

export function Row({ title, children, buttons }: RowProps) {
  return (
    <Group justify="space-between" gap="0.5rem 1rem">
      <Box flex="1 1 14rem" miw={0} className="breaks">
        <Group gap="0.2rem 0.6rem" fw={600}>
          {title}
        </Group>
        <Quiet component="div">{children}</Quiet>
      </Box>
      <Group gap="xs">{buttons}</Group>
    </Group>
  )
}
