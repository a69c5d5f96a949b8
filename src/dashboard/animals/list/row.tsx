/** One animal in the list. */

import { ActionIcon, Button, Checkbox, Menu } from '@mantine/core'
import { IconDots, IconEdit, IconShoppingBag, IconTrash } from '@tabler/icons-react'
import { memo, type ReactNode, type Ref } from 'react'
import { useLocation } from 'wouter'
import { Status, type Tone } from '../../ui/status.tsx'
import { changeStatus, deleteAnimal } from '../actions.tsx'
import { Editor } from '../edit/editor.tsx'
import { type Pet, type PetStatus, statusLabels } from '../filters.ts'
import { useCategoryNames } from '../queries.ts'
import type { AnimalList } from './animal-list.ts'

export const statusTones: Readonly<Record<PetStatus, Tone>> = { available: 'good', pending: 'warn', sold: 'quiet' }

interface RowProps {
  readonly pet: Pet
  readonly list: AnimalList
  readonly index: number
  /** Pixels from the top of the list. */
  readonly offset: number
  readonly isSelected: boolean
  readonly isEditing: boolean
  readonly onSelect: (id: number, isSelected: boolean) => void
  readonly onEdit: (id: number | undefined) => void
  readonly ref: Ref<HTMLDivElement>
}

export const Row = memo(function Row({
  pet,
  list,
  index,
  offset,
  isSelected,
  isEditing,
  onSelect,
  onEdit,
  ref,
}: RowProps) {
  const nameOf = useCategoryNames()
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: its controls are focusable
    <div
      ref={ref}
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-selected={isSelected || undefined}
      className={isEditing ? 'animals-row animals-row-editing' : 'animals-row'}
      style={{ transform: `translateY(${offset}px)` }}
    >
      {isEditing ? (
        <Cell name="editor">
          <Editor id={pet.id} isInRow onClose={() => onEdit(undefined)} onSaved={list.replace} />
        </Cell>
      ) : (
        <>
          <Cell name="select">
            <Checkbox
              aria-label={`Select ${pet.name}`}
              checked={isSelected}
              onChange={({ currentTarget }) => onSelect(pet.id, currentTarget.checked)}
            />
          </Cell>
          <Cell name="name">
            <button type="button" className="animals-name" onClick={() => onEdit(pet.id)} title="Edit animal">
              {pet.name}
            </button>
          </Cell>
          <Cell name="category">{nameOf(pet.categoryId)}</Cell>
          <Cell name="status">
            <Status tone={statusTones[pet.status]}>{statusLabels[pet.status]}</Status>
          </Cell>
          <Cell name="number">{pet.id}</Cell>
          <Cell name="actions">
            {pet.status !== 'sold' && (
              <Button
                variant="default"
                size="xs"
                aria-label={`Mark as sold: ${pet.name}`}
                onClick={() => void changeStatus(pet, 'sold', list)}
              >
                Mark as sold
              </Button>
            )}
            <RowMenu pet={pet} list={list} onEdit={() => onEdit(pet.id)} />
          </Cell>
        </>
      )}
    </div>
  )
})

function Cell({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    <div role="cell" className={`animals-${name}-cell`}>
      {children}
    </div>
  )
}

interface RowMenuProps {
  readonly pet: Pet
  readonly list: AnimalList
  readonly onEdit: () => void
}

function RowMenu({ pet, list, onEdit }: RowMenuProps) {
  const [, navigate] = useLocation()
  return (
    <Menu withinPortal>
      <Menu.Target>
        <ActionIcon size={32} aria-label={`More for ${pet.name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconEdit size={16} />} onClick={onEdit}>
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
          <Menu.Item onClick={() => void changeStatus(pet, 'pending', list)}>Mark as pending</Menu.Item>
        )}
        {pet.status !== 'available' && (
          <Menu.Item onClick={() => void changeStatus(pet, 'available', list)}>Mark as available</Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => void deleteAnimal(pet, list)}>
          Delete animal
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
