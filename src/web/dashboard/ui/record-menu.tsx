/** The menu of a record, with its less frequent actions. */

import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'

interface RecordMenuProps {
  /** Begins with "More for". */
  readonly label: string
  /** The items. */
  readonly children: ReactNode
}

export function RecordMenu({ label, children }: RecordMenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  return (
    // A dialog that an item opens gives the focus back to where it was, and the item is gone by then.
    <Menu onClose={() => button.current?.focus()}>
      <Menu.Target>
        <ActionIcon ref={button} size={32} aria-label={label}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
