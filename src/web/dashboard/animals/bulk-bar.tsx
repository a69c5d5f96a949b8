/** The actions for all selected animals, and the result of the last one while others stay selected. */

import { Button, Group, Menu, Modal, Paper, Stack, Text } from '@mantine/core'
import { IconEdit, IconEye, IconEyeOff, IconTag, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import { refreshShown } from '../api/queries.ts'
import { isRefused } from '../api/send.ts'
import { useSignal } from '../signal.ts'
import { countOf, formatNumber, isolated } from '../ui/format.ts'
import { closeNotice, showDone, showFailure, showUndo, showWithButton } from '../ui/notices.tsx'
import { SmallButton } from '../ui/small.ts'
import { subjectOf } from './actions.tsx'
import {
  type BatchChange,
  type BatchResult,
  batchOf,
  changeInParts,
  isAlready,
  type ProfileChange,
  type ShownChange,
  undoSteps,
} from './bulk-change.ts'
import { EditDetails } from './edit-details.tsx'
import type { Animal, Filters } from './filters.ts'
import type { AnimalList } from './list/animal-list.ts'
import { categoriesQuery, categoryName, countQuery } from './queries.ts'
import './bulk-bar.css'

interface BulkBarProps {
  readonly list: AnimalList
  readonly filters: Filters
  readonly selected: ReadonlySet<number>
  readonly onSelect: (selected: ReadonlySet<number>) => void
}

/** An animal that was not changed. Its name is undefined if it is no longer in the list. */
interface Left extends BatchResult {
  readonly name: string | undefined
}

/** What an action has done. */
interface Done {
  /** Empty if it changed nothing. */
  readonly text: string
  readonly undo?: () => Promise<unknown>
  readonly subject: string
}

export function BulkBar({ list, filters, selected, onSelect }: BulkBarProps) {
  const { data: categories = [] } = useQuery(categoriesQuery)
  const { data: total } = useQuery(countQuery(filters))
  const { rows, isComplete } = useSignal(list.state)
  const [progress, setProgress] = useState<string>()
  const [result, setResult] = useState<Done & { readonly left: readonly Left[] }>()
  const [shownLeft, setShownLeft] = useState<readonly Left[]>([])
  const [isEditing, setEditing] = useState(false)
  const listNow = useRef(list)
  listNow.current = list
  const isBusy = progress !== undefined

  async function selectAll(): Promise<void> {
    setProgress('Selecting…')
    await list.loadAll()
    setProgress(undefined)
    onSelect(new Set(list.state.get().rows.map(({ id }) => id)))
  }

  /** Sends a change of many animals in parts. The results until an error are in `results`. */
  async function send(ids: readonly number[], action: BatchChange, results: BatchResult[] = []) {
    try {
      for await (const part of changeInParts(ids, action)) {
        results.push(...part)
        setProgress(`${formatNumber(results.length)} of ${formatNumber(ids.length)}…`)
      }
    } finally {
      setProgress(undefined)
    }
    return results
  }

  function show(results: readonly BatchResult[]): void {
    list.replaceAll(results.flatMap(({ animal }) => animal ?? []))
  }

  /** Changes the selected animals that are not like that already. */
  async function change(wanted: ShownChange, done: string, already: string): Promise<void> {
    const before = new Map(list.state.get().rows.map((pet) => [pet.id, pet]))
    const subject = `bulk ${Object.keys(wanted)}`
    const [same, others] = [[], []] as [number[], number[]]
    for (const id of selected) {
      const pet = before.get(id)
      if (pet !== undefined && isAlready(pet, wanted)) same.push(id)
      else others.push(id)
    }
    const note = same.length === 0 ? '' : `${countOf(same.length, 'animal')} ${already} already.`
    await run(others, batchOf(wanted), (changed) => {
      show(changed)
      if (changed.length === 0) return { text: note, subject }
      const pets = changed.flatMap(({ id }) => before.get(id) ?? [])
      const text = `${countOf(changed.length, 'animal')} ${done}. ${note}`.trim()
      return { text, undo: () => undo(pets, wanted, subject), subject }
    })
  }

  async function undo(before: readonly Animal[], wanted: ShownChange, subject: string): Promise<void> {
    const left = new Set<number>()
    for (const step of undoSteps(before, wanted)) {
      const results = await send(step.ids, batchOf(step.change))
      show(results)
      for (const { id, done } of results) if (!done) left.add(id)
    }
    const back = before.length - left.size
    if (back > 0) showDone(`${countOf(back, 'animal')} changed back.`, { subject })
    if (left.size > 0) {
      const text = `${countOf(left.size, 'animal')} not changed back: an order reserves them, or somebody changed them.`
      showDone(text, { tone: 'warning' })
    }
  }

  const remove = (): Promise<void> =>
    run([...selected], { delete: true }, (changed) => {
      const ids = changed.map(({ id }) => id)
      const subject = 'bulk delete'
      list.remove(new Set(ids))
      if (ids.length === 0) return { text: '', subject }
      const restore = async () => {
        const restored = (await send(ids, { restore: true })).filter(({ done }) => done)
        showDone(`${countOf(restored.length, 'animal')} back.`, { subject })
      }
      return { text: `${countOf(ids.length, 'animal')} deleted.`, undo: restore, subject }
    })

  const edit = (profile: ProfileChange): Promise<void> =>
    run([...selected], { profile }, (changed) => {
      show(changed)
      const text = changed.length === 0 ? '' : `${countOf(changed.length, 'animal')} changed.`
      return { text, subject: 'bulk details' }
    })

  /** Those that cannot be changed stay selected. */
  async function run(
    ids: readonly number[],
    action: BatchChange,
    onDone: (changed: readonly BatchResult[]) => Done,
  ): Promise<void> {
    const results: BatchResult[] = []
    setResult(undefined)
    try {
      await send(ids, action, results)
    } catch (error) {
      // The animals of earlier requests are changed all the same.
      showFailure(error, undefined, () => run(ids.slice(results.length), action, onDone))
      if (results.length === 0) return
    }
    const changed = results.filter(({ done }) => done)
    // An older message about one of them offers to undo a change that is no longer current.
    for (const { id } of changed) closeNotice(subjectOf(id))
    const rest = new Set(ids).difference(new Set(changed.map(({ id }) => id)))
    const names = new Map(list.state.get().rows.map(({ id, name }) => [id, name]))
    const left = results.filter(({ done }) => !done).map((one) => ({ ...one, name: names.get(one.id) }))
    onSelect(rest)
    const done = onDone(changed)
    if (rest.size > 0 && listNow.current === list) setResult({ ...done, left })
    else say(done, left)
  }

  /** Says what was done where no bar is left to say it. */
  function say({ text, undo: takeBack, subject }: Done, left: readonly Left[]): void {
    if (takeBack !== undefined) showUndo(text, takeBack, { subject })
    else if (text !== '') showDone(text, { subject })
    if (left.length > 0) {
      showWithButton(leftWords(left), 'Show reasons', () => setShownLeft(left), {
        subject: 'bulk left',
        tone: 'warning',
      })
    }
  }

  function undoResult(): void {
    if (result?.undo === undefined) return
    setResult(undefined)
    result
      .undo()
      .then(refreshShown)
      .catch((error: unknown) => {
        showFailure(error)
        if (!isRefused(error)) setResult(result)
      })
  }

  const isAllLoaded = rows.length > 0 && selected.size >= rows.length
  const button = { size: 'xs', variant: 'default', disabled: isBusy } as const
  return (
    <>
      {/* The dialog stays when nothing is selected. */}
      {(selected.size > 0 || isBusy) && (
        <Paper component="section" withBorder shadow="md" p="xs" className="bulk-bar" aria-label="Selected animals">
          {result !== undefined && (
            <Group gap="xs" mb="xs">
              <Text role="status" flex="1 1 10rem">
                {[result.text, result.left.length > 0 && leftWords(result.left)].filter(Boolean).join(' ')}
              </Text>
              {result.undo !== undefined && (
                <SmallButton className="undo-button" disabled={isBusy} onClick={undoResult}>
                  Undo
                </SmallButton>
              )}
              {result.left.length > 0 && (
                <SmallButton onClick={() => setShownLeft(result.left)}>Show reasons</SmallButton>
              )}
            </Group>
          )}
          <Group gap="xs">
            <Text fw={600} role="status">
              {formatNumber(selected.size)} selected
            </Text>
            <kbd className="key">F8</kbd>
            {progress !== undefined && <Text c="dimmed">{progress}</Text>}
            {isAllLoaded && !isComplete && (
              <Button size="xs" variant="light" disabled={isBusy} onClick={() => void selectAll()}>
                Select all {total?.exact === true && formatNumber(total.count)} that fit
              </Button>
            )}
            <Button size="xs" loading={isBusy} onClick={() => void change({ status: 'sold' }, 'sold', 'sold')}>
              Mark as sold
            </Button>
            <Button {...button} onClick={() => void change({ status: 'available' }, 'available again', 'available')}>
              Mark as available
            </Button>
            <Menu>
              <Menu.Target>
                <Button {...button} leftSection={<IconTag size={14} />}>
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
            <Button {...button} leftSection={<IconEdit size={14} />} onClick={() => setEditing(true)}>
              Edit details
            </Button>
            <Button
              {...button}
              leftSection={<IconEyeOff size={14} />}
              onClick={() => void change({ published: false }, 'hidden from the public', 'hidden')}
            >
              Hide
            </Button>
            <Button
              {...button}
              leftSection={<IconEye size={14} />}
              onClick={() => void change({ published: true }, 'shown to the public', 'shown')}
            >
              Show
            </Button>
            <Button {...button} leftSection={<IconTrash size={14} />} onClick={() => void remove()}>
              Delete animals
            </Button>
            <Button
              size="xs"
              variant="subtle"
              onClick={() => {
                setResult(undefined)
                onSelect(new Set())
              }}
            >
              Clear selection
            </Button>
          </Group>
        </Paper>
      )}
      <EditDetails
        count={selected.size}
        opened={isEditing}
        onClose={() => setEditing(false)}
        onEdit={(change) => void edit(change)}
      />
      <LeftDialog results={shownLeft} onClose={() => setShownLeft([])} />
    </>
  )
}

function leftWords(left: readonly BatchResult[]): string {
  const areReserved = left.every(({ message }) => orderIn(message) !== undefined)
  return `${countOf(left.length, 'animal')} ${areReserved ? 'reserved by orders' : 'left as they are'}.`
}

const mostShown = 50

interface LeftDialogProps {
  readonly results: readonly Left[]
  readonly onClose: () => void
}

/** The animals that an action left as they are, and why. */
function LeftDialog({ results, onClose }: LeftDialogProps) {
  return (
    <Modal opened={results.length > 0} onClose={onClose} title={leftWords(results).slice(0, -1)}>
      <Stack gap="sm">
        <Text>They are still selected. An animal that an order reserves is sold by delivering the order.</Text>
        {results.slice(0, mostShown).map((one) => {
          const order = orderIn(one.message)
          return (
            <Group key={one.id} justify="space-between" wrap="nowrap">
              <span>{wordsOf(one)}</span>
              {order !== undefined && (
                <SmallButton component={Link} href={`/orders/${order}`} flex="none">
                  Open order {order}
                </SmallButton>
              )}
            </Group>
          )
        })}
        {results.length > mostShown && <Text>And {countOf(results.length - mostShown, 'animal')} more.</Text>}
      </Stack>
    </Modal>
  )
}

/** The message of the server, with the name of the animal instead of its number. */
function wordsOf({ id, name, message }: Left): string {
  const shown = name === undefined ? `animal ${id}` : isolated(name)
  return message?.replace(`reserves animal ${id}`, () => `reserves ${shown}`) ?? `Animal ${id} was not changed.`
}

/** The number of the order that the message names. */
function orderIn(message: string | null): string | undefined {
  return /\border (\d+)/i.exec(message ?? '')?.[1]
}
