/**
 * The palette: finds pages, actions and animals by a typed text. Mantine's spotlight moves through the entries; here it gets
 * the roles of a combobox, as in the ARIA guide.
 */

import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import {
  type Icon,
  IconArrowBackUp,
  IconBook2,
  IconCash,
  IconDatabaseExport,
  IconDeviceDesktop,
  IconFileImport,
  IconKey,
  IconList,
  IconMoon,
  IconPaw,
  IconSearch,
  IconShoppingBag,
  IconSun,
  IconTag,
  IconWebhook,
} from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { longestNumber, type Pet, petStates } from '../animals/filters.ts'
import { useCategoryNames } from '../animals/queries.ts'
import { api, bodyOf } from '../api/client.ts'
import { filledPage, pageOf } from '../api/lists.ts'
import { isolated } from '../ui/format.ts'
import { typingPauseMs } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { destinations } from './navigation.tsx'

/** Ranked by their names; the API lists what contains the text by id. */
const fetchedAnimals = 100
const shownAnimals = 6
const label = 'Search pages, actions and animals'

const [store, palette] = createSpotlight()
// Otherwise Mantine marks the selected entry only in the page, and no component renders it.
const { setState, updateState } = store
store.updateState = (next) => setState.call({ updateState }, next)

interface PaletteProps {
  /** How often it was opened. */
  readonly visit: number
  /** While a dialog is open, the palette is not shown: its field would take the focus. */
  readonly isAllowed: boolean
}

export function Palette({ visit, isAllowed }: PaletteProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each visit opens it
  useEffect(() => palette.open(), [visit])
  return (
    <Spotlight.Root
      store={store}
      disabled={!isAllowed}
      shortcut={null}
      transitionProps={{ duration: 0 }}
      centered={false}
      yOffset="10dvh"
      zIndex={300}
      // The name of the dialog, because it has no title.
      attributes={{ content: { 'aria-label': 'Search' } }}
    >
      <Finder />
    </Spotlight.Root>
  )
}

function Finder() {
  const { query, selected, listId } = useSpotlight(store)
  const [, navigate] = useLocation()
  const { setColorScheme } = useMantineColorScheme()
  const text = query.trim()
  const animals = useAnimals(text)
  const entries = [...matching(text), ...orderSearch(text)]
  const found = animals.isExact ? [...animals.found, ...entries] : [...entries, ...animals.found]
  // A longer text may have fewer results.
  const current = Math.min(selected, found.length - 1)
  // The list has been opened, or was empty until the animals arrived.
  const isUnselected = selected < 0 && found.length > 0
  useEffect(() => {
    if (isUnselected) store.setState((state) => ({ ...state, selected: 0 }))
  }, [isUnselected])

  function run(command: Command): void {
    if (command.colorScheme !== undefined) setColorScheme(command.colorScheme)
    else if (command.isOutside === true) location.assign(command.href)
    else navigate(command.href)
    if (command.hint !== undefined) showDone(command.hint, { subject: 'hint' })
  }

  return (
    <>
      <Spotlight.Search
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={current < 0 ? undefined : `${listId}-${current}`}
        placeholder={label}
        leftSection={<IconSearch size={20} aria-hidden="true" />}
        spellCheck={false}
        // Otherwise a page that arrives behind it would take the focus. A phone that hides its keyboard names no target.
        onBlur={({ relatedTarget, currentTarget }) => relatedTarget !== null && currentTarget.focus()}
      />
      <Spotlight.ActionsList role="listbox" aria-label="Results">
        {groupsOf(found).map(({ name, members }) => (
          <Spotlight.ActionsGroup key={name} label={name} role="group" aria-label={name}>
            {members.map(({ command, index }) => (
              <Spotlight.Action
                key={command.id}
                // The component takes no id.
                ref={(option) => option?.setAttribute('id', `${listId}-${index}`)}
                role="option"
                aria-selected={index === current}
                data-selected={index === current || undefined}
                label={command.label}
                {...(command.description === undefined ? {} : { description: command.description })}
                leftSection={<command.Icon size={18} aria-hidden="true" />}
                onClick={() => run(command)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
      {found.length === 0 && <Spotlight.Empty>Nothing matches “{text}”.</Spotlight.Empty>}
    </>
  )
}

/** An animal; with its number if it was found by that. */
type Found = Pet & { readonly number?: string | null }

/** The animal that has the text as its number, and those whose names contain it, exact matches first. */
function useAnimals(text: string): { readonly found: readonly Command[]; readonly isExact: boolean } {
  const nameOf = useCategoryNames()
  const [typed] = useDebouncedValue(text, typingPauseMs)
  const { data } = useQuery({
    queryKey: ['palette', typed],
    queryFn: async ({ signal }): Promise<readonly Found[]> => {
      const [profiles, named] = await Promise.all([
        typed.length > longestNumber
          ? []
          : bodyOf(api.GET('/pets/profiles', { params: { query: { number: typed } }, signal })),
        filledPage((start) => {
          const query = { q: typed, limit: fetchedAnimals, ...start }
          return pageOf(api.GET('/pets', { params: { query }, signal }))
        }),
      ])
      const numbered = profiles.map(({ pet, number }) => ({ ...pet, number }))
      return [...numbered, ...named.items.filter(({ id }) => id !== numbered[0]?.id)]
    },
    enabled: typed !== '' && typed.length <= 100,
    placeholderData: keepPreviousData,
    meta: { topics: ['pets', 'profiles'] },
  })
  if (text === '' || data === undefined) return { found: [], isExact: false }
  const wanted = text.toLowerCase()
  const rankOf = ({ name, number }: Found) => {
    const known = name.toLowerCase()
    return known === wanted || number !== undefined ? 0 : known.startsWith(wanted) ? 1 : 2
  }
  const ranked = data.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, shownAnimals)
  return {
    isExact: ranked.some((animal) => rankOf(animal) === 0),
    found: ranked.map(({ id, name, number, status, categoryId }) => ({
      id: `pet-${id}`,
      label: isolated(name),
      description: `${isolated(nameOf(categoryId))}, ${petStates[status][0].toLowerCase()}, no. ${number ?? id}`,
      group: 'Animals',
      href: `/animals/${id}`,
      words: '',
      Icon: IconPaw,
    })),
  }
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

interface Command {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly group: 'Pages' | 'Actions' | 'Animals'
  /** An address below /dashboard, or of another page of this server. */
  readonly href: string
  readonly isOutside?: boolean
  /** Changes the colours instead of opening an address. */
  readonly colorScheme?: MantineColorScheme
  readonly words: string
  /** The next step on the page that it opens. */
  readonly hint?: string
  readonly Icon: Icon
}

const actions: readonly Command[] = [
  action('Sell an animal', '/animals?status=available', 'sold sale counter mark', IconCash),
  {
    ...action('Take back a sale: mark as available', '/animals?status=sold', 'sold undo return', IconArrowBackUp),
    hint: 'To take back a sale, open the menu at the end of the animal’s row and choose “Mark as available”.',
  },
  action('Add animal', '/animals?add=1', 'new pet', IconPaw),
  action('Import animals', '/animals/import', 'csv file spreadsheet upload undo', IconFileImport),
  action('Manage categories', '/animals/categories', 'kinds names', IconTag),
  action('Place order', '/orders?place=1', 'reserve new customer', IconShoppingBag),
  action('Create key', '/keys?create=1', 'share access partner token', IconKey),
  action('Add webhook', '/keys/webhooks?add=1', 'events messages partner server', IconWebhook),
  action('Show the audit log', '/keys/audit', 'history who', IconList),
  action('Back up now', '/settings#backups', 'save copy', IconDatabaseExport),
  { ...action('Open the API documentation', '/docs', 'docs help programmers', IconBook2), isOutside: true },
  colours('Dark colours', 'dark', IconMoon),
  colours('Light colours', 'light', IconSun),
  colours('Colours as on this device', 'auto', IconDeviceDesktop),
]

export const commands: readonly Command[] = [
  ...destinations.map(
    ({ path, label, words, Icon }): Command => ({ id: path, label, group: 'Pages', href: path, words, Icon }),
  ),
  ...actions,
]

function action(label: string, href: string, words: string, icon: Icon): Command {
  return { id: href, label, group: 'Actions', href, words, Icon: icon }
}

function colours(label: string, colorScheme: MantineColorScheme, icon: Icon): Command {
  return { ...action(label, colorScheme, 'mode theme night scheme', icon), colorScheme }
}

/** A text that searches the orders: a number, or the words after "order". */
const orderText = /^(?:#?\s*(\d+)|orders?\s+(?:(?:no|number)\.?\s*)?#?\s*(\S.*))$/i

/** The entry that searches the orders on their page, if the text seems to mean one. */
function orderSearch(text: string): readonly Command[] {
  const [, number, words] = orderText.exec(text.trim()) ?? []
  const wanted = number ?? words
  if (wanted === undefined) return []
  const href = `/orders?${new URLSearchParams({ q: wanted })}`
  return [{ ...action(`Search orders for “${wanted}”`, href, '', IconShoppingBag), id: 'orders' }]
}

/** The commands in which every typed word begins a word. */
function matching(text: string): readonly Command[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ label, words }) => {
    const known = `${label} ${words}`.toLowerCase().split(/\s+/)
    return typed.every((word) => known.some((one) => one.startsWith(word)))
  })
}
