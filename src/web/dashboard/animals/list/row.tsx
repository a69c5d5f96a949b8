/**
 * One animal in the list. Rows appear by dozens while somebody scrolls, so their controls are plain elements: those of
 * Mantine take several times as long.
 */

import { IconDots } from '@tabler/icons-react'
import { memo, type ReactNode, type Ref } from 'react'
import { Link } from 'wouter'
import { Status } from '../../ui/status.tsx'
import { isOnControl } from '../../ui/table.tsx'
import { changeStatus } from '../actions.tsx'
import { Editor } from '../editor.tsx'
import { type Pet, petStates } from '../filters.ts'
import type { AnimalList } from './animal-list.ts'

interface RowProps {
  readonly pet: Pet
  readonly categoryName: string
  /** The open order that reserves the animal, if it is known. */
  readonly orderId: number | undefined
  readonly list: AnimalList
  readonly index: number
  /** Pixels from the top of the list. */
  readonly offset: number
  readonly isSelected: boolean
  readonly isEditing: boolean
  readonly onSelect: (id: number, isSelected: boolean) => void
  readonly onEdit: (id: number | undefined) => void
  /** Opens the menu of the row at its button. */
  readonly onMenu: (pet: Pet, button: HTMLElement) => void
  readonly ref: Ref<HTMLDivElement>
}

export const Row = memo(function Row(props: RowProps) {
  const { pet, list, index, offset, isSelected, isEditing, onEdit, ref } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: its controls are focusable
    // biome-ignore lint/a11y/useKeyWithClickEvents: the name is a button for the keyboard
    <div
      ref={ref}
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-selected={isSelected || undefined}
      className={isEditing ? 'animals-row animals-row-editing' : 'animals-row'}
      style={{ transform: `translateY(${offset}px)` }}
      onClick={(event) => {
        if (!isEditing && !isOnControl(event)) onEdit(pet.id)
      }}
    >
      {isEditing ? (
        <Cell name="editor">
          <Editor id={pet.id} isInRow onClose={() => onEdit(undefined)} onSaved={list.replace} />
        </Cell>
      ) : (
        <Cells {...props} />
      )}
    </div>
  )
})

/** The Tab key stops at the name alone; the arrow keys go to the other controls (`useRowFocus`). */
function Cells({ pet, categoryName, orderId, list, isSelected, onSelect, onEdit, onMenu }: RowProps) {
  return (
    <>
      <Cell name="select">
        <input
          type="checkbox"
          tabIndex={-1}
          className="animals-check"
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
      <Cell name="category">{categoryName}</Cell>
      <Cell name="status">
        <Status of={petStates[pet.status]} />
      </Cell>
      <Cell name="number">{pet.id}</Cell>
      <Cell name="actions">
        {pet.status === 'pending' && orderId !== undefined && (
          <Link
            tabIndex={-1}
            className="animals-button"
            href={`/orders/${orderId}`}
            aria-label={`Open order ${orderId}: ${pet.name}`}
          >
            Open order {orderId}
          </Link>
        )}
        {pet.status !== 'sold' && (pet.status !== 'pending' || orderId === undefined) && (
          <button
            type="button"
            tabIndex={-1}
            className="animals-button"
            aria-label={`Mark as sold: ${pet.name}`}
            onClick={() => void changeStatus(pet, 'sold', list)}
          >
            Mark as sold
          </button>
        )}
        <button
          type="button"
          tabIndex={-1}
          className="animals-more-button"
          aria-label={`More for ${pet.name}`}
          aria-haspopup="menu"
          onClick={({ currentTarget }) => onMenu(pet, currentTarget)}
        >
          <IconDots size={18} />
        </button>
      </Cell>
    </>
  )
}

function Cell({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    <div role="cell" className={`animals-${name}-cell`}>
      {children}
    </div>
  )
}
