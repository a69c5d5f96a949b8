/** The animals as rows. Only the visible ones are elements of the page, so that 100,000 are as quick as ten. */

import { Checkbox, Menu, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconEdit } from '@tabler/icons-react'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { useSignal } from '../../signal.ts'
import { showDone } from '../../ui/notices.tsx'
import { Failure, LoadingRows } from '../../ui/states.tsx'
import { type Animal, type Filters, isSortable, type SortKey, searchOf, usualOrder } from '../filters.ts'
import { AnimalMenuItems } from '../menu-items.tsx'
import { useCategoryNames, useHoldingOrders } from '../queries.ts'
import type { AnimalList } from './animal-list.ts'
import { Row } from './row.tsx'
import { useFreshRows } from './use-animal-list.ts'
import { useRowFocus } from './use-row-focus.ts'
import './table.css'

const rowHeight = 53
/** Rows beyond the edges of the window that are elements already. */
const overscan = 12
/** The next page is loaded when so few rows are left. */
const reserve = 40

interface TableProps {
  readonly list: AnimalList
  readonly filters: Filters
  readonly selected: ReadonlySet<number>
  readonly onSelect: Dispatch<SetStateAction<ReadonlySet<number>>>
  readonly onChange: (filters: Filters) => void
}

export function Table({ list, filters, selected, onSelect, onChange }: TableProps) {
  const { rows, arrangement, isComplete, error } = useSignal(list.state)
  const nameOf = useCategoryNames()
  const orders = useHoldingOrders()
  const [editing, setEditing] = useState<number>()
  const [menu, setMenu] = useState<OpenMenu>()
  const table = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const rowFocus = useRowFocus(table)
  const keysId = useId()
  const [top, setTop] = useState(0)
  const rowsNow = useRef(rows)
  rowsNow.current = rows
  // The virtualizer measures all rows anew when it gets another function.
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have other keys in another arrangement
  const getItemKey = useCallback((index: number) => rowsNow.current[index]?.id ?? index, [arrangement])
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan,
    scrollMargin: top,
    getItemKey,
  })
  const items = virtualizer.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useFreshRows(list, first, last)
  // The edited animal need not be in another list, and its page continues with the change while this one is hidden.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => () => setEditing(undefined), [list])
  useEffect(() => {
    if (editing === undefined || rows.some(({ id }) => id === editing)) return
    setEditing(undefined)
    showDone('The animal that you were editing is no longer in this list.', { tone: 'warning' })
  }, [rows, editing])

  useEffect(() => {
    const place = () => setTop((body.current?.getBoundingClientRect().top ?? 0) + scrollY)
    place()
    const observer = new ResizeObserver(place)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (last >= rows.length - reserve && error === undefined) void list.loadMore()
  }, [list, last, rows.length, error])

  const toggle = useCallback(
    (id: number, isSelected: boolean) =>
      onSelect((before) => {
        const next = new Set(before)
        if (isSelected) next.add(id)
        else next.delete(id)
        return next
      }),
    [onSelect],
  )
  const openMenu = useCallback((pet: Animal, button: HTMLElement) => setMenu({ pet, button }), [])

  const loadedIds = () => new Set(rows.map(({ id }) => id))
  const isAll = rows.length > 0 && selected.size >= rows.length
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a table element cannot be placed by a virtual list */}
      <div
        ref={table}
        tabIndex={-1}
        className="animals"
        role="table"
        aria-label="Animals"
        aria-describedby={keysId}
        aria-rowcount={isComplete ? rows.length + 1 : -1}
      >
        <span id={keysId} hidden>
          In a row, the left and right arrow keys go to its other buttons, and F2 edits it.
        </span>
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: rows have controls, they are none */}
        <div className="animals-head" role="row" aria-rowindex={1}>
          <HeadCell>
            <Checkbox
              aria-label="Select all loaded animals"
              checked={isAll}
              indeterminate={selected.size > 0 && !isAll}
              onChange={() => onSelect(isAll ? new Set() : loadedIds())}
            />
          </HeadCell>
          <HeadCell>
            <VisuallyHidden>Photo</VisuallyHidden>
          </HeadCell>
          <SortCell sort="name" label="Name" filters={filters} onChange={onChange} />
          <SortCell sort="category" label="Category" filters={filters} onChange={onChange} />
          <SortCell sort="status" label="Status" filters={filters} onChange={onChange} />
          <HeadCell>Price</HeadCell>
          <SortCell sort="id" label="ID" filters={filters} onChange={onChange} />
          <HeadCell>
            <VisuallyHidden>Actions</VisuallyHidden>
            <span className="animals-keys" aria-hidden="true">
              Keys: ← → ↑ ↓ F2
            </span>
          </HeadCell>
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        <div
          ref={body}
          role="rowgroup"
          className="animals-body"
          style={{ height: virtualizer.getTotalSize() }}
          {...rowFocus}
        >
          {items.map(({ index, start, key }) => {
            const pet: Animal | undefined = rows[index]
            if (pet === undefined) return null
            return (
              <Row
                key={key}
                ref={virtualizer.measureElement}
                pet={pet}
                categoryName={nameOf(pet.categoryId)}
                orderId={orders?.get(pet.id)}
                list={list}
                search={searchOf(filters)}
                index={index}
                offset={start - virtualizer.options.scrollMargin}
                isSelected={selected.has(pet.id)}
                isEditing={editing === pet.id}
                onSelect={toggle}
                onEdit={setEditing}
                onMenu={openMenu}
              />
            )
          })}
        </div>
      </div>
      <p className="print-only">
        Only the animals on the screen are printed. “Export” gives you a file with all of them.
      </p>
      {!isComplete && error === undefined && <LoadingRows rows={2} height={rowHeight} label="Loading more animals…" />}
      {error !== undefined && rows.length > 0 && <Failure error={error} onRetry={() => void list.loadMore()} />}
      {menu !== undefined && <RowMenu open={menu} list={list} onEdit={setEditing} onClose={() => setMenu(undefined)} />}
    </>
  )
}

interface SortCellProps extends Pick<TableProps, 'filters' | 'onChange'> {
  readonly sort: SortKey
  readonly label: string
}

/** The head of a column that sorts the list by it, and again the other way round. */
function SortCell({ sort, label, filters, onChange }: SortCellProps) {
  const isSorted = filters.sort === sort
  if (!isSortable(filters)) return <HeadCell>{label}</HeadCell>
  const order = !isSorted ? usualOrder(sort) : filters.order === 'asc' ? 'desc' : 'asc'
  const Icon = filters.order === 'asc' ? IconArrowUp : IconArrowDown
  return (
    // biome-ignore lint/a11y/useSemanticElements: the table has no table elements
    // biome-ignore lint/a11y/useFocusableInteractive: its button is
    <div role="columnheader" aria-sort={isSorted ? (filters.order === 'asc' ? 'ascending' : 'descending') : 'none'}>
      <button type="button" className="animals-sort" onClick={() => onChange({ ...filters, sort, order })}>
        {label}
        {isSorted && <Icon size={14} aria-hidden="true" />}
      </button>
    </div>
  )
}

function HeadCell({ children }: { readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the table has no table elements
    // biome-ignore lint/a11y/useFocusableInteractive: a header without sorting
    <div role="columnheader">{children}</div>
  )
}

interface OpenMenu {
  readonly pet: Animal
  readonly button: HTMLElement
}

interface RowMenuProps {
  readonly open: OpenMenu
  readonly list: AnimalList
  readonly onEdit: (id: number) => void
  readonly onClose: () => void
}

/** The menu of a row: one for the whole list, which opens at the button of the row. */
function RowMenu({ open: { pet, button }, list, onEdit, onClose }: RowMenuProps) {
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
        <AnimalMenuItems pet={pet} list={list} />
      </Menu.Dropdown>
    </Menu>
  )
}
