/** The choice of a content coding (RFC 9110 section 12.5.3). */

export type Coding = 'br' | 'gzip' | 'identity'

const codings = ['br', 'gzip', 'identity'] as const

/** Below every weight that a request can name: a coding is preferred to none unless the request names a preference. */
const unnamedIdentity = 0.0001

/** The available coding that the request prefers, and the smallest one where it prefers none. */
export function codingOf({ headers }: Request, available: Readonly<Partial<Record<Coding, unknown>>>): Coding {
  const weights = weightsOf(headers.get('accept-encoding') ?? '')
  let best: Coding = 'identity'
  let highest = 0
  for (const coding of codings) {
    if (coding !== 'identity' && available[coding] === undefined) continue
    const weight = weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? unnamedIdentity : 0)
    if (weight <= highest) continue
    best = coding
    highest = weight
  }
  return best
}

function weightsOf(header: string): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((part) => {
      const [coding = '', weight] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/)
      return [coding, weight === undefined ? 1 : Number(weight)]
    }),
  )
}
