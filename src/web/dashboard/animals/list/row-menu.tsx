/** The menu of a row: one for the whole list, which opens at the button of the row. */

import { Menu } from '@mantine/core'
import { IconArrowBackUp, IconClock, IconEdit, IconShoppingBag, IconTrash } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import { changeStatus, deleteAnimal } from '../actions.tsx'
import type { Pet } from '../filters.ts'
import type { AnimalList } from './animal-list.ts'

export interface OpenMenu {
  readonly pet: Pet
  readonly button: HTMLElement
}

interface RowMenuProps {
  readonly open: OpenMenu
  readonly list: AnimalList
  readonly onEdit: (id: number) => void
  readonly onClose: () => void
}

export function RowMenu({ open: { pet, button }, list, onEdit, onClose }: RowMenuProps) {
  const [, navigate] = useLocation()
  const { left, top, width, height } = button.getBoundingClientRect()

  function close(): void {
    onClose()
    // The row may be deleted meanwhile.
    if (button.isConnected) button.focus()
  }

  return (
    <Menu opened onChange={(isOpened) => !isOpened && close()}>
      <Menu.Target>
        {/* The menu is placed by it; the button of the row can leave the page. */}
        <button
          type="button"
          tabIndex={-1}
          className="animals-menu-place"
          aria-label={`More for ${pet.name}`}
          style={{ left, top, width, height }}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={`Actions for ${pet.name}`}>
        <Menu.Item leftSection={<IconEdit size={16} />} onClick={() => onEdit(pet.id)}>
          Edit animal
        </Menu.Item>
        {pet.status === 'available' && (
          <Menu.Item
            leftSection={<IconShoppingBag size={16} />}
            onClick={() => navigate(`/orders?place=1&animal=${pet.id}`)}
          >
            Place order
          </Menu.Item>
        )}
        {pet.status === 'available' && (
          <Menu.Item leftSection={<IconClock size={16} />} onClick={() => void changeStatus(pet, 'pending', list)}>
            Mark as pending
          </Menu.Item>
        )}
        {pet.status !== 'available' && (
          <Menu.Item
            leftSection={<IconArrowBackUp size={16} />}
            onClick={() => void changeStatus(pet, 'available', list)}
          >
            Mark as available
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item c="var(--bad)" leftSection={<IconTrash size={16} />} onClick={() => void deleteAnimal(pet, list)}>
          Delete animal
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
