/** The list of animals for the page: one for the filters at hand, kept up to date, and the animals that are selected in it. */

import { type Dispatch, type SetStateAction, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { isConnected } from '../../api/error.ts'
import { petChanges } from '../../api/live.ts'
import { useSignal } from '../../signal.ts'
import type { Filters } from '../filters.ts'
import { fetchAnimals } from '../queries.ts'
import { type AnimalList, createAnimalList } from './animal-list.ts'

/** The list of the filters. While its first page is loaded, `shown` is still the one before, so that nothing jumps. */
export function useAnimalList({ q, status, categoryId, profile, sort, order }: Filters): {
  list: AnimalList
  shown: AnimalList
} {
  const list = useMemo(
    () =>
      createAnimalList(sort === 'id' ? order : undefined, (cursor, signal) =>
        fetchAnimals({ q, status, categoryId, profile, sort, order }, cursor, signal),
      ),
    [q, status, categoryId, profile, sort, order],
  )
  const [shown, setShown] = useState(list)
  const hasLoaded = useSignal(
    list.state,
    ({ rows, isComplete, error }) => rows.length > 0 || isComplete || error !== undefined,
  )
  useEffect(() => {
    void list.loadMore()
    const unsubscribe = isConnected.subscribe(() => {
      if (isConnected.get() && list.state.get().error !== undefined) void list.loadMore()
    })
    return () => {
      unsubscribe()
      list.end()
    }
  }, [list])
  useEffect(() => {
    if (hasLoaded) setShown(list)
  }, [list, hasLoaded])
  return { list, shown }
}

/** Fetches the visible rows again after a change elsewhere, and rows that became visible if they are out of date. */
export function useFreshRows(list: AnimalList, first: number, last: number): void {
  const changes = useSignal(petChanges)
  const seen = useRef(changes)
  useEffect(() => {
    if (seen.current !== changes) list.invalidate()
    seen.current = changes
    void list.refresh(first, last)
  }, [list, changes, first, last])
}

export type Selection = ReadonlySet<number>

const none: Selection = new Set()

/** The selected animals of the list that is shown. Those of another list are not on the screen, so they do not count. */
export function useSelection(shown: AnimalList): readonly [Selection, Dispatch<SetStateAction<Selection>>] {
  const [{ list, ids }, setState] = useState({ list: shown, ids: none })
  const select = useCallback<Dispatch<SetStateAction<Selection>>>(
    (next) =>
      setState((before) => ({
        list: shown,
        ids: typeof next === 'function' ? next(before.list === shown ? before.ids : none) : next,
      })),
    [shown],
  )
  return [list === shown ? ids : none, select]
}
