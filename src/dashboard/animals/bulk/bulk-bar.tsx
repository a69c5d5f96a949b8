/** What can be done with all selected animals. */

import { Button, Menu } from '@mantine/core'
import { IconTag, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { showUndo, showWithButton } from '../../ui/feedback/undo.tsx'
import { countOf, formatNumber } from '../../ui/format.ts'
import type { AnimalList } from '../list/animal-list.ts'
import { categoriesQuery, categoryName } from '../queries.ts'
import { type BatchChange, type BatchResult, changeAnimals } from './change-animals.ts'
import { HeldDialog } from './held-dialog.tsx'
import './bulk-bar.css'

interface BulkBarProps {
  readonly list: AnimalList
  readonly selected: ReadonlySet<number>
  readonly onSelect: (selected: ReadonlySet<number>) => void
}

export function BulkBar({ list, selected, onSelect }: BulkBarProps) {
  const { data: categories = [] } = useQuery(categoriesQuery)
  const [isBusy, setBusy] = useState(false)
  const [held, setHeld] = useState<readonly BatchResult[]>([])

  async function run(
    change: BatchChange,
    done: string,
    undo?: (ids: readonly number[]) => Promise<unknown>,
  ): Promise<void> {
    setBusy(true)
    try {
      const results = await changeAnimals([...selected], change)
      const changed = results.filter((one) => one.done)
      const left = results.filter((one) => !one.done)
      for (const { pet } of changed) if (pet !== null) list.replace(pet)
      if (change.delete) list.remove(new Set(changed.map(({ id }) => id)))
      onSelect(new Set(left.map(({ id }) => id)))
      if (changed.length > 0) {
        const text = `${countOf(changed.length, 'animal')} ${done}.`
        if (undo === undefined) showDone(text)
        else showUndo(text, () => undo(changed.map(({ id }) => id)))
      }
      if (left.length > 0) showLeft(left)
    } catch (error) {
      showFailure(error)
    } finally {
      setBusy(false)
    }
  }

  function showLeft(left: readonly BatchResult[]): void {
    const isHeld = left.every(({ code }) => code === 'conflict')
    const text = `${countOf(left.length, 'animal')} ${isHeld ? 'held by orders' : 'left as they are'}.`
    showWithButton(text, 'Show', () => setHeld(left))
  }

  const count = formatNumber(selected.size)
  return (
    <>
      {/* The dialog stays when nothing is selected any more. */}
      {selected.size > 0 && (
        <section className="bulk-bar" aria-label="Selected animals">
          <span className="bulk-bar-count" role="status">
            {count} selected
          </span>
          <Button size="xs" loading={isBusy} onClick={() => void run({ change: { status: 'sold' } }, 'sold')}>
            Mark as sold
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={isBusy}
            onClick={() => void run({ change: { status: 'available' } }, 'available again')}
          >
            Mark as available
          </Button>
          <Menu>
            <Menu.Target>
              <Button size="xs" variant="default" disabled={isBusy} leftSection={<IconTag size={14} />}>
                Change category
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
              {categories.map((category) => (
                <Menu.Item
                  key={category.id}
                  onClick={() =>
                    void run({ change: { categoryId: category.id } }, `moved to ${categoryName(category)}`)
                  }
                >
                  {categoryName(category)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          <Button
            size="xs"
            variant="default"
            disabled={isBusy}
            leftSection={<IconTrash size={14} />}
            onClick={() => void run({ delete: true }, 'deleted', (ids) => changeAnimals(ids, { restore: true }))}
          >
            Delete animals
          </Button>
          <Button size="xs" variant="subtle" onClick={() => onSelect(new Set())}>
            Clear selection
          </Button>
        </section>
      )}
      <HeldDialog results={held} onClose={() => setHeld([])} />
    </>
  )
}
