/** The list of animals for the page: one for the filters at hand, kept up to date. */

import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { subscribeTopics } from '../../live/stream.ts'
import type { Filters } from '../filters.ts'
import { fetchAnimals } from '../queries.ts'
import { type AnimalList, createAnimalList, type ListState } from './animal-list.ts'

/** A part of the state, so that what shows it does not render again for each page that is loaded. */
export function useListState<T>(list: AnimalList, select: (state: ListState) => T): T {
  return useSyncExternalStore(list.subscribe, () => select(list.get()))
}

/** The list of the filters. While its first page is loaded, `shown` is still the one before, so that nothing jumps. */
export function useAnimalList(filters: Filters): { list: AnimalList; shown: AnimalList } {
  const { q, status, categoryId, order } = filters
  const list = useMemo(() => {
    const fixed: Filters = {
      order,
      ...(q === undefined ? {} : { q }),
      ...(status === undefined ? {} : { status }),
      ...(categoryId === undefined ? {} : { categoryId }),
    }
    return createAnimalList(order, (cursor, signal) => fetchAnimals(fixed, cursor, signal))
  }, [q, status, categoryId, order])
  const [shown, setShown] = useState(list)
  const hasLoaded = useListState(
    list,
    ({ rows, isComplete, error }) => rows.length > 0 || isComplete || error !== undefined,
  )

  useEffect(() => {
    void list.loadMore()
    return () => list.end()
  }, [list])
  useEffect(() => {
    if (hasLoaded) setShown(list)
  }, [list, hasLoaded])
  return { list, shown }
}

/** Fetches the visible rows again after a change elsewhere, and rows that became visible if they are out of date. */
export function useFreshRows(list: AnimalList, first: number, last: number): void {
  const visible = useRef({ first, last })
  visible.current = { first, last }
  useEffect(
    () =>
      subscribeTopics((topics) => {
        if (!topics.includes('pets')) return
        list.invalidate()
        void list.refresh(visible.current.first, visible.current.last)
      }),
    [list],
  )
  useEffect(() => {
    void list.refresh(first, last)
  }, [list, first, last])
}
