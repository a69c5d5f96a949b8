/** Opens the palette with Ctrl K or ⌘ K. */

import { useCallback, useEffect, useState } from 'react'

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The keys that open the palette, as they are written on this device. */
export const paletteKeys = isApple ? '⌘ K' : 'Ctrl K'

/** While it is not allowed, nothing shows the palette: its field would take the focus of a dialog. */
export function usePalette(isAllowed: boolean) {
  const [state, setState] = useState({ isOpen: false, visit: 0 })
  const set = useCallback((wanted: boolean | 'toggle') => {
    setState(({ isOpen, visit }) => {
      const opens = wanted === 'toggle' ? !isOpen : wanted
      return { isOpen: opens, visit: opens && !isOpen ? visit + 1 : visit }
    })
  }, [])
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      // The browser's own search field would take the focus otherwise.
      event.preventDefault()
      if (isAllowed) set('toggle')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [set, isAllowed])
  return { ...state, isOpen: state.isOpen && isAllowed, open: () => set(true), close: () => set(false) }
}
