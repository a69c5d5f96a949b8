/** The changes of an animal that are in the menus of its row and of its page. */

import { Menu } from '@mantine/core'
import { IconArrowBackUp, IconClock, IconShoppingBag, IconTrash } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import { refreshShown } from '../api/queries.ts'
import { changeStatus, deleteAnimal } from './actions.tsx'
import type { Pet, PetStatus } from './filters.ts'
import type { AnimalList } from './list/animal-list.ts'

export function AnimalMenuItems({ pet, list }: { readonly pet: Pet; readonly list: AnimalList }) {
  const [, navigate] = useLocation()
  const change = (status: PetStatus) => void changeStatus(pet, status, list).then(refreshShown)
  return (
    <>
      {pet.status === 'available' ? (
        <>
          <Menu.Item
            leftSection={<IconShoppingBag size={16} />}
            onClick={() => navigate(`/orders?place=1&animal=${pet.id}`)}
          >
            Place order
          </Menu.Item>
          <Menu.Item leftSection={<IconClock size={16} />} onClick={() => change('pending')}>
            Mark as pending
          </Menu.Item>
        </>
      ) : (
        <Menu.Item leftSection={<IconArrowBackUp size={16} />} onClick={() => change('available')}>
          Mark as available
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item
        c="var(--bad)"
        leftSection={<IconTrash size={16} />}
        onClick={() => void deleteAnimal(pet, list).then(refreshShown)}
      >
        Delete animal
      </Menu.Item>
    </>
  )
}
