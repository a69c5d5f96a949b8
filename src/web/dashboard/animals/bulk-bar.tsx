/** The actions for all selected animals. */

import { Button, Menu } from '@mantine/core'
import { IconTag, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countOf, formatNumber } from '../ui/format.ts'
import { closeNotice, showDone, showFailure, showUndo, showWithButton } from '../ui/notices.tsx'
import { subjectOf } from './actions.tsx'
import {
  type BatchChange,
  type BatchResult,
  changeAnimals,
  changeInParts,
  isAlready,
  type PetChange,
  undoSteps,
} from './bulk-change.ts'
import type { Pet } from './filters.ts'
import { type Held, HeldDialog } from './held-dialog.tsx'
import type { AnimalList } from './list/animal-list.ts'
import { categoriesQuery, categoryName } from './queries.ts'
import './bulk-bar.css'

interface BulkBarProps {
  readonly list: AnimalList
  readonly selected: ReadonlySet<number>
  readonly onSelect: (selected: ReadonlySet<number>) => void
}

export function BulkBar({ list, selected, onSelect }: BulkBarProps) {
  const { data: categories = [] } = useQuery(categoriesQuery)
  const [isBusy, setBusy] = useState(false)
  const [held, setHeld] = useState<readonly Held[]>([])

  /** Changes the selected animals that are not like that already. */
  async function change(wanted: PetChange, done: string, already: string): Promise<void> {
    const rows = new Map(list.state.get().rows.map((pet) => [pet.id, pet]))
    const ids = [...selected]
    const same = ids.filter((id) => {
      const pet = rows.get(id)
      return pet !== undefined && isAlready(pet, wanted)
    })
    const others = ids.filter((id) => !same.includes(id))
    const note = same.length === 0 ? '' : `${countOf(same.length, 'animal')} ${already} already.`
    await run(others, { change: wanted }, (changed) => {
      for (const { pet } of changed) if (pet !== null) list.replace(pet)
      const subject = wanted.status === undefined ? 'bulk category' : 'bulk status'
      if (changed.length === 0) {
        if (note !== '') showDone(note, { subject })
        return
      }
      const before = changed.flatMap(({ id }) => rows.get(id) ?? [])
      showUndo(`${countOf(changed.length, 'animal')} ${done}. ${note}`.trim(), () => undo(before, wanted, subject), {
        subject,
      })
    })
  }

  async function undo(before: readonly Pet[], wanted: PetChange, subject: string): Promise<void> {
    const left = new Set<number>()
    for (const step of undoSteps(before, wanted)) {
      for (const { id, done, pet } of await changeAnimals(step.ids, { change: step.change })) {
        if (pet !== null) list.replace(pet)
        if (!done) left.add(id)
      }
    }
    const back = before.length - left.size
    if (back > 0) showDone(`${countOf(back, 'animal')} changed back.`, { subject })
    if (left.size > 0) {
      showDone(`${countOf(left.size, 'animal')} not changed back: an order holds them, or somebody changed them.`, {
        tone: 'warning',
      })
    }
  }

  async function remove(): Promise<void> {
    await run([...selected], { delete: true }, (changed) => {
      const ids = changed.map(({ id }) => id)
      list.remove(new Set(ids))
      if (ids.length === 0) return
      const subject = 'bulk delete'
      showUndo(
        `${countOf(ids.length, 'animal')} deleted.`,
        async () => {
          const restored = (await changeAnimals(ids, { restore: true })).filter(({ done }) => done)
          showDone(`${countOf(restored.length, 'animal')} back.`, { subject })
        },
        { subject },
      )
    })
  }

  /** Those that cannot be changed stay selected. */
  async function run(
    ids: readonly number[],
    action: BatchChange,
    onDone: (changed: readonly BatchResult[]) => void,
  ): Promise<void> {
    const results: BatchResult[] = []
    setBusy(true)
    try {
      for await (const part of changeInParts(ids, action)) results.push(...part)
    } catch (error) {
      // The animals of earlier requests are changed all the same.
      showFailure(error, undefined, () => run(ids.slice(results.length), action, onDone))
      if (results.length === 0) return
    } finally {
      setBusy(false)
    }
    const changed = results.filter((one) => one.done)
    const left = results.filter((one) => !one.done)
    // An older message about one of them offers to take back what is not so any more.
    for (const { id } of changed) closeNotice(subjectOf(id))
    onSelect(new Set(ids).difference(new Set(changed.map(({ id }) => id))))
    onDone(changed)
    if (left.length > 0) showLeft(left)
  }

  function showLeft(left: readonly BatchResult[]): void {
    const isHeld = left.every(({ code }) => code === 'conflict')
    const text = `${countOf(left.length, 'animal')} ${isHeld ? 'held by orders' : 'left as they are'}.`
    const names = new Map(list.state.get().rows.map(({ id, name }) => [id, name]))
    const named = left.map((one) => ({ ...one, name: names.get(one.id) }))
    showWithButton(text, 'Show', () => setHeld(named), { subject: 'bulk left', tone: 'warning' })
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
          <kbd className="key">F8</kbd>
          <Button size="xs" loading={isBusy} onClick={() => void change({ status: 'sold' }, 'sold', 'sold')}>
            Mark as sold
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={isBusy}
            onClick={() => void change({ status: 'available' }, 'available again', 'available')}
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
                    void change(
                      { categoryId: category.id },
                      `moved to ${categoryName(category)}`,
                      `in ${categoryName(category)}`,
                    )
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
            onClick={() => void remove()}
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
