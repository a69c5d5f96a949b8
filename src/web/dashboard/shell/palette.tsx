/** The palette: finds pages, actions and animals by what is typed. A combobox by the pattern of the ARIA guide. */

import { Modal, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { IconPaw, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { filledPage, pageOf } from '../api/lists.ts'
import { isolated } from '../ui/format.ts'
import { typingPauseMs } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { type Command, matching, orderSearch } from './commands.ts'
import './palette.css'

const foundAnimals = 6
interface PaletteProps {
  readonly opened: boolean
  /** Counts how often it was opened. */
  readonly visit: number
  readonly onClose: () => void
}

export function Palette({ opened, visit, onClose }: PaletteProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="10dvh"
      padding={0}
      size="lg"
      // The name of the dialog, because it has no title.
      attributes={{ content: { 'aria-label': 'Search' } }}
    >
      {/* What was typed before is gone, even while the palette still moves out. */}
      <Finder key={visit} onClose={onClose} />
    </Modal>
  )
}

function Finder({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const [, navigate] = useLocation()
  const { setColorScheme } = useMantineColorScheme()
  const id = useId()
  const animals = useAnimals(text.trim())
  const found = [...matching(text), ...orderSearch(text), ...animals]
  // A longer text may have fewer results.
  const current = Math.min(active, Math.max(found.length - 1, 0))

  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, current])

  function run(command: Command | undefined): void {
    if (command === undefined) return
    onClose()
    if (command.colorScheme !== undefined) setColorScheme(command.colorScheme)
    else if (command.isOutside === true) location.assign(command.href)
    else navigate(command.href)
    if (command.hint !== undefined) showDone(command.hint, { subject: 'hint' })
  }

  function onKey(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      setActive((current + step + found.length) % found.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(found[current])
    }
  }

  return (
    <div className="palette">
      <div className="palette-field">
        <IconSearch size={20} aria-hidden="true" />
        <input
          data-autofocus
          role="combobox"
          aria-label="Search pages, actions and animals"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length === 0 ? undefined : `${id}-${current}`}
          autoComplete="off"
          spellCheck={false}
          placeholder="Search pages, actions and animals"
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setActive(0)
          }}
          onKeyDown={onKey}
        />
      </div>
      <div className="palette-list" id={`${id}-list`} role="listbox" aria-label="Results" tabIndex={-1}>
        {groupsOf(found).map(({ name, members }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options
          <div key={name} role="group" aria-label={name}>
            <div className="palette-group" aria-hidden="true">
              {name}
            </div>
            {members.map(({ command, index }) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
              <div
                key={command.id}
                id={`${id}-${index}`}
                className="palette-option"
                role="option"
                aria-selected={index === current}
                tabIndex={-1}
                onPointerMove={() => setActive(index)}
                onClick={() => run(command)}
              >
                <command.Icon size={18} aria-hidden="true" />
                <span>{command.label}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="palette-nothing">Nothing is called “{text.trim()}”.</p>}
    </div>
  )
}

function useAnimals(text: string): readonly Command[] {
  const [typed] = useDebouncedValue(text, typingPauseMs)
  const { data } = useQuery({
    queryKey: ['palette', typed],
    queryFn: ({ signal }) =>
      filledPage((start) => {
        const query = { q: typed, limit: foundAnimals, ...start }
        return pageOf(api.GET('/pets', { params: { query }, signal }))
      }),
    enabled: typed !== '' && typed.length <= 100,
    placeholderData: keepPreviousData,
    meta: { topics: ['pets'] },
  })
  if (text === '') return []
  return (data?.items ?? []).map(({ id, name, status }) => ({
    id: `pet-${id}`,
    label: `${isolated(name)} (no. ${id})${status === 'available' ? '' : `, ${status}`}`,
    group: 'Animals',
    href: `/animals?animal=${id}`,
    words: '',
    Icon: IconPaw,
  }))
}

interface Group {
  readonly name: string
  readonly members: { readonly command: Command; readonly index: number }[]
}

function groupsOf(found: readonly Command[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const [index, command] of found.entries()) {
    const group = groups.get(command.group) ?? { name: command.group, members: [] }
    group.members.push({ command, index })
    groups.set(command.group, group)
  }
  return [...groups.values()]
}

/** Opens and closes the palette with Ctrl K or ⌘ K. While it is not allowed, nothing shows it: its field would take the focus of a dialog. */
export function usePalette(isAllowed: boolean) {
  const [isOpen, setOpen] = useState(false)
  const [visit, setVisit] = useState(0)

  function open(): void {
    setVisit(visit + 1)
    setOpen(true)
  }

  function toggle(): void {
    if (!isAllowed) return
    if (isOpen) setOpen(false)
    else open()
  }

  // In fields too: the browser's own search field would take the focus otherwise.
  useHotkeys([['mod+K', toggle]], [])
  return { opened: isOpen && isAllowed, visit, open, onClose: () => setOpen(false) }
}
