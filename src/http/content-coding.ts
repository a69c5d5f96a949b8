/** The choice of a content coding (RFC 9110 section 12.5.3). */

export type Coding = 'br' | 'gzip' | 'identity'

/** The smallest of the available codings that the request accepts. */
export function codingOf({ headers }: Request, available: Readonly<Partial<Record<Coding, unknown>>>): Coding {
  const weights = new Map(
    (headers.get('accept-encoding') ?? '').split(',').map((part) => {
      const [coding = '', weight] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/)
      return [coding, weight === undefined ? 1 : Number(weight)]
    }),
  )
  const isAccepted = (coding: Coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0
  return (['br', 'gzip'] as const).find((coding) => available[coding] !== undefined && isAccepted(coding)) ?? 'identity'
}
