/** A histogram in fixed memory; `observe` does not allocate. */

export class Histogram {
  /** The sum of all values. */
  sum = 0
  /** The number of values in each bucket; the last bucket is for values above the highest bound. */
  readonly counts: Float64Array

  /** The highest value of each bucket, ascending. */
  readonly bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const { bounds, counts } = this
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
    counts[bucket] = (counts[bucket] as number) + 1
    this.sum += value
  }
}
