/** The selected animals of the list that is shown. Those of another list are not on the screen, so they do not count. */

import { type Dispatch, type SetStateAction, useCallback, useState } from 'react'
import type { AnimalList } from './animal-list.ts'

export type Selection = ReadonlySet<number>

const none: Selection = new Set()

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
