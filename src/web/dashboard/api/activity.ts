/** Whether a person uses the page: sessions end after days without input, however long a page stays open. */

let isActive = true
for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
  addEventListener(
    type,
    () => {
      isActive = true
    },
    { passive: true, capture: true },
  )
}

/** Whether there was input since the last call. */
export function hasBeenActive(): boolean {
  const wasActive = isActive
  isActive = false
  return wasActive
}
