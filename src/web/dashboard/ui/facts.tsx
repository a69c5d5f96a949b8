/** Pairs of a name and a value. */

import { DataList } from '@mantine/core'
import type { ReactNode } from 'react'

interface FactsProps {
  /** The width of the column of names. */
  readonly labelWidth?: string
  readonly children: ReactNode
}

export function Facts({ labelWidth = '9rem', children }: FactsProps) {
  return (
    <DataList size="md" gap="xs" labelWidth={labelWidth}>
      {children}
    </DataList>
  )
}

export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue>{children}</DataList.ItemValue>
    </DataList.Item>
  )
}
