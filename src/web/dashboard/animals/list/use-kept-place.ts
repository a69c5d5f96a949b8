/** Keeps the place in the list while the page of an animal covers it. */

import { useEffect, useLayoutEffect, useRef } from 'react'

/** Scrolls back and returns the focus when the component is shown again. */
export function useKeptPlace(): void {
  const place = useRef<{ readonly top: number; readonly focused: Element | null }>(undefined)
  useLayoutEffect(() => {
    scrollTo(0, place.current?.top ?? 0)
    return () => {
      place.current = { top: scrollY, focused: document.activeElement }
    }
  }, [])
  // After the heading of the page has taken the focus.
  useEffect(() => {
    const focused = place.current?.focused
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true })
  }, [])
}
