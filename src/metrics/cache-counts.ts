/** How often a cache held what was looked up. */

export interface CacheCounts {
  hits: number
  misses: number
}

export const noLookUps = (): CacheCounts => ({ hits: 0, misses: 0 })
