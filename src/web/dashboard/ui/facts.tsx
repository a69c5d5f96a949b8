/** Pairs of a name and a value. */

import { DataList } from '@mantine/core'
import type { ReactNode } from 'react'

export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <DataList size="md" gap="xs" labelWidth="9rem">
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
