/** Whether a component is still on the page when something long ends: its result then needs a message. */

import { useCallback, useEffect, useRef } from 'react'

/** Returns a function that tells whether the component is shown now. */
export function useIsShown(): () => boolean {
  const shown = useRef(false)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  return useCallback(() => shown.current, [])
}
