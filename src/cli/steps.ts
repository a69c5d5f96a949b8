/** Long work on a store in many short transactions. */

/** How long a transaction of such work takes, in milliseconds. */
export const stepMs = 20

/** Longer than a running server's writer pauses between two attempts to get the lock. */
const pauseMs = 10

/** Runs `step` until it returns false, with pauses in which a running server can write. */
export async function inSteps(step: () => boolean): Promise<void> {
  while (step()) await Bun.sleep(pauseMs)
}
