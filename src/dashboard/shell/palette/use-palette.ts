/** Opens the palette with Ctrl K or ⌘ K. */

import { useEffect, useState } from 'react'

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The keys that open the palette, as they are written on this device. */
export const paletteKeys = isApple ? '⌘ K' : 'Ctrl K'

export function usePalette() {
  const [isOpen, setOpen] = useState(false)
  const [visit, setVisit] = useState(0)
  useEffect(() => {
    if (isOpen) setVisit((before) => before + 1)
  }, [isOpen])
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setOpen((isNowOpen) => !isNowOpen)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return { isOpen, visit, open: () => setOpen(true), close: () => setOpen(false) }
}
