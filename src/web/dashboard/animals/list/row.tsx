/**
 * One animal in the list. Rows appear by dozens while somebody scrolls, so their controls are plain elements: those of
 * Mantine take several times as long.
 */

import { IconDots, IconPaw } from '@tabler/icons-react'
import { memo, type ReactNode, type Ref } from 'react'
import { Link } from 'wouter'
import { Status } from '../../ui/status.tsx'
import { isOnControl } from '../../ui/table.tsx'
import { changeStatus } from '../actions.tsx'
import { Editor } from '../editor.tsx'
import { type Animal, petStates } from '../filters.ts'
import { formatMoney } from '../money.ts'
import type { AnimalList } from './animal-list.ts'

interface RowProps {
  readonly pet: Animal
  readonly categoryName: string
  /** The open order that reserves the animal, if it is known. */
  readonly orderId: number | undefined
  readonly list: AnimalList
  /** The filters and the order of the list, as they stand in the address. */
  readonly search: string
  readonly index: number
  /** Pixels from the top of the list. */
  readonly offset: number
  readonly isSelected: boolean
  readonly isEditing: boolean
  readonly onSelect: (id: number, isSelected: boolean) => void
  readonly onEdit: (id: number | undefined) => void
  /** Opens the menu of the row at its button. */
  readonly onMenu: (pet: Animal, button: HTMLElement) => void
  readonly ref: Ref<HTMLDivElement>
}

export const Row = memo(function Row(props: RowProps) {
  const { pet, list, index, offset, isSelected, isEditing, onEdit, ref } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: its controls are focusable
    // biome-ignore lint/a11y/useKeyWithClickEvents: F2 does the same (`useRowFocus`)
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
          <Editor id={pet.id} onClose={() => onEdit(undefined)} onSaved={list.replace} />
        </Cell>
      ) : (
        <Cells {...props} />
      )}
    </div>
  )
})

/** The sides of a photo in pixels. Its place is there before the photo has arrived. */
const photoSize = 40

/** The Tab key stops at the name alone; the arrow keys go to the other controls (`useRowFocus`). */
function Cells({ pet, categoryName, orderId, list, search, isSelected, onSelect, onMenu }: RowProps) {
  const details = [!pet.published && 'Not published', pet.number, pet.breed].filter(Boolean).join(' · ')
  const price = pet.price === 0 ? 'Free' : pet.price && pet.currency && formatMoney(pet.price, pet.currency)
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
      <Cell name="photo">
        {pet.photo === undefined ? (
          <IconPaw size={20} aria-hidden="true" />
        ) : (
          // The name beside it says what it shows. Requests for data come first.
          <img src={pet.photo} width={photoSize} height={photoSize} alt="" decoding="async" fetchPriority="low" />
        )}
      </Cell>
      <Cell name="name">
        <Link className="animals-name" href={`/animals/${pet.id}${search}`}>
          {pet.name}
        </Link>
        {details !== '' && (
          <span className="animals-details" title={details}>
            {details}
          </span>
        )}
      </Cell>
      <Cell name="category">{categoryName}</Cell>
      <Cell name="status">
        <Status of={petStates[pet.status]} />
      </Cell>
      <Cell name="price">{price}</Cell>
      <Cell name="id">{pet.id}</Cell>
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
