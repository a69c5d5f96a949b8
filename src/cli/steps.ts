/** Long work on a store, divided into short transactions. */

/** The duration of one such transaction, in milliseconds. */
export const stepMs = 20

/** In milliseconds; longer than the pause of a running server's writer between two attempts to get the lock. */
const pauseMs = 10

/** Runs `step` until it returns false, with pauses in which a running server can write. */
export async function inSteps(step: () => boolean): Promise<void> {
  while (step()) await Bun.sleep(pauseMs)
}
