/**
 * The loaded part of the list of animals: a growing prefix, in the order of the ids. What changes elsewhere is fetched for
 * the visible rows at once, for the others when they become visible; fetching all loaded pages again would be hundreds of
 * requests.
 */

import { filledPage, type ListPage } from '../../api/lists.ts'
import { createSignal } from '../../signal.ts'
import type { Animal } from '../filters.ts'

interface ListState {
  readonly rows: readonly Animal[]
  /** Changes when rows get other places, which adding some at the end does not. */
  readonly arrangement: number
  readonly isComplete: boolean
  readonly isLoading: boolean
  /** Why the last page could not be loaded. */
  readonly error: unknown
}

type FetchPage = (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Animal>>

/** The members of an animal that a change has returned. */
export type ChangedAnimal = Pick<Animal, 'id'> & Partial<Animal>

interface LoadedPage {
  readonly cursor: string | undefined
  /** The number of rows before it when it was loaded. */
  readonly start: number
  /** The id of the last row before the page; undefined for the first page. */
  readonly after: number | undefined
  isCurrent: boolean
}

/** `order` is that of the ids; undefined for a list that is sorted by something else, in which an id has no place. */
export function createAnimalList(order: 'asc' | 'desc' | undefined, fetchPage: FetchPage) {
  const signal = createSignal<ListState>({
    rows: [],
    arrangement: 0,
    isComplete: false,
    isLoading: false,
    error: undefined,
  })
  const now = signal.get
  let next: string | undefined
  const pages: LoadedPage[] = []
  const ended = new AbortController()
  let refreshing: Promise<void> | undefined
  /** The first and the last of the rows that a refresh is still wanted for. */
  let wanted: readonly [number, number] | undefined

  function set(change: Partial<ListState>): void {
    if (!ended.signal.aborted) signal.set({ ...signal.get(), ...change })
  }

  /** Whether a row with id `a` comes before one with id `b`. */
  const isBefore = (a: number, b: number) => (order === 'asc' ? a < b : a > b)

  /** Loads the next page, unless one is being loaded or all are. */
  async function loadMore(): Promise<void> {
    if (now().isLoading || now().isComplete || ended.signal.aborted) return
    set({ isLoading: true, error: undefined })
    try {
      const from = next
      const page = await filledPage(({ cursor }) => fetchPage(cursor, ended.signal), from)
      // Otherwise, a refresh has replaced the rows meanwhile: what follows them begins elsewhere.
      if (from === next) {
        const { rows } = now()
        pages.push({ cursor: from, start: rows.length, after: rows.at(-1)?.id, isCurrent: true })
        next = page.next
        set({ rows: [...rows, ...newRows(page.items)] })
      }
      set({ isLoading: false, isComplete: next === undefined })
    } catch (error) {
      set({ isLoading: false, error })
    }
  }

  /** The rows that are not in the list yet. */
  function newRows(items: readonly Animal[], rows = now().rows): readonly Animal[] {
    // A set of all rows takes long to make where many thousands are loaded.
    const ids = new Set(items.map(({ id }) => id))
    const known = new Set(rows.filter(({ id }) => ids.has(id)).map(({ id }) => id))
    return items.filter(({ id }) => !known.has(id))
  }

  /** Loads all rows, until one page fails. */
  async function loadAll(): Promise<void> {
    while (!now().isComplete && now().error === undefined && !ended.signal.aborted) await loadMore()
  }

  /**
   * Fetches the pages of the rows from `first` to `last` again, where they are out of date. A page that is being fetched may
   * have become so meanwhile, so that the latest rows are looked at once more after a refresh.
   */
  function refresh(first: number, last: number): Promise<void> {
    wanted = [first, last]
    refreshing ??= refreshWanted()
      // The next change or the return of the connection fetches them again.
      .catch(() => {})
      .finally(() => {
        refreshing = undefined
      })
    return refreshing
  }

  async function refreshWanted(): Promise<void> {
    while (wanted !== undefined) {
      const [first, last] = wanted
      wanted = undefined
      await (order === undefined ? reload(first, last) : refreshRows(first, last))
    }
  }

  /** Fetches the pages from that of the row `first` to that of `last` again, if one is out of date. Later rows are loaded on scrolling. */
  async function reload(first: number, last: number): Promise<void> {
    const index = Math.max(
      pages.findLastIndex(({ start }) => start <= first),
      0,
    )
    if (pages.slice(index).every(({ start, isCurrent }) => isCurrent || start > last)) return
    let cursor = pages[index]?.cursor
    let rows = now().rows.slice(0, pages[index]?.start ?? 0)
    const fresh: LoadedPage[] = []
    do {
      const page = await fetchPage(cursor, ended.signal)
      fresh.push({ cursor, start: rows.length, after: undefined, isCurrent: true })
      rows = [...rows, ...newRows(page.items, rows)]
      cursor = page.next
    } while (cursor !== undefined && rows.length <= last)
    pages.splice(index, pages.length, ...fresh)
    next = cursor
    set({ rows, arrangement: now().arrangement + 1, isComplete: cursor === undefined })
  }

  async function refreshRows(first: number, last: number): Promise<void> {
    const [from, to] = [now().rows[first]?.id, now().rows[last]?.id]
    for (const [index, page] of pages.entries()) {
      const end = pages[index + 1]?.after
      const isBeforeRows = from !== undefined && end !== undefined && isBefore(end, from)
      const isAfterRows = to !== undefined && page.after !== undefined && !isBefore(page.after, to)
      if (page.isCurrent || isBeforeRows || isAfterRows) continue
      page.isCurrent = true
      try {
        await refreshPage(page, end)
      } catch (error) {
        page.isCurrent = false
        throw error
      }
    }
  }

  /** Replaces the rows of a page, up to `end`, which is the last id before the next loaded page. */
  async function refreshPage({ cursor, after }: LoadedPage, end: number | undefined): Promise<void> {
    const found: Animal[] = []
    let at = cursor
    for (;;) {
      const page = await fetchPage(at, ended.signal)
      found.push(...page.items)
      at = page.next
      const reached = page.items.at(-1)?.id
      const isBeyond = end !== undefined && reached !== undefined && !isBefore(reached, end)
      if (at === undefined || isBeyond) break
      // The last loaded page: what follows is loaded on scrolling.
      if (end === undefined && reached !== undefined) {
        next = at
        break
      }
    }
    const within = (id: number) =>
      (after === undefined || isBefore(after, id)) && (end === undefined || !isBefore(end, id))
    const before = now().rows.filter(({ id }) => after !== undefined && !isBefore(after, id))
    const behind = now().rows.filter(({ id }) => end !== undefined && isBefore(end, id))
    const isComplete = end === undefined ? at === undefined : now().isComplete
    const rows = [...before, ...found.filter(({ id }) => within(id)), ...behind]
    set({ rows, arrangement: now().arrangement + 1, isComplete })
  }

  function replaceAll(animals: readonly ChangedAnimal[]): void {
    const changed = new Map(animals.map((animal) => [animal.id, animal]))
    const rows = now().rows.map((row) => {
      const change = changed.get(row.id)
      return change === undefined ? row : { ...row, ...change }
    })
    set({ rows })
  }

  return {
    state: signal,
    loadMore,
    loadAll,
    refresh,
    /** All loaded rows may be out of date. */
    invalidate(): void {
      for (const page of pages) page.isCurrent = false
    },
    /** Shows changed animals at once, in their places. */
    replaceAll,
    replace: (animal: ChangedAnimal) => replaceAll([animal]),
    remove(ids: ReadonlySet<number>): void {
      set({ rows: now().rows.filter(({ id }) => !ids.has(id)), arrangement: now().arrangement + 1 })
    },
    /** Ends the requests in flight. */
    end: () => ended.abort(),
  }
}
export type AnimalList = ReturnType<typeof createAnimalList>
