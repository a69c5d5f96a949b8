/** Names of hosts for people: encoded labels such as `xn--5o8h` as the text that they stand for (RFC 5890). */

// The parameters of Punycode (RFC 3492 section 5).
const [base, tMin, tMax, skew, damp, initialBias, initialN] = [36, 1, 26, 38, 700, 72, 128] as const

/** The name with its encoded labels decoded. A label that encodes nothing stays as it is. */
export function unicodeName(hostname: string): string {
  return hostname
    .split('.')
    .map((label) => (label.startsWith('xn--') ? (decode(label.slice('xn--'.length)) ?? label) : label))
    .join('.')
}

/** Decodes Punycode (RFC 3492 section 6.2); undefined for a text that is none. */
function decode(text: string): string | undefined {
  const end = Math.max(text.lastIndexOf('-'), 0)
  const output = [...text.slice(0, end)].map((character) => character.charCodeAt(0))
  let [n, at, bias] = [initialN as number, 0, initialBias as number]
  for (let position = end === 0 ? 0 : end + 1; position < text.length; ) {
    const before = at
    for (let weight = 1, k = base as number; ; k += base) {
      const digit = digitOf(text.charAt(position++))
      if (digit === undefined) return undefined
      at += digit * weight
      const threshold = Math.min(Math.max(k - bias, tMin), tMax)
      if (digit < threshold) break
      weight *= base - threshold
    }
    const count = output.length + 1
    bias = adapt(at - before, count, before === 0)
    n += Math.floor(at / count)
    if (n > 0x10ffff) return undefined
    at %= count
    output.splice(at++, 0, n)
  }
  return output.length === 0 ? undefined : String.fromCodePoint(...output)
}

function digitOf(character: string): number | undefined {
  if (/^[a-z]$/.test(character)) return character.charCodeAt(0) - 97
  return /^\d$/.test(character) ? Number(character) + 26 : undefined
}

function adapt(change: number, count: number, isFirst: boolean): number {
  let delta = isFirst ? Math.floor(change / damp) : change >> 1
  delta += Math.floor(delta / count)
  let k = 0
  for (; delta > ((base - tMin) * tMax) >> 1; k += base) delta = Math.floor(delta / (base - tMin))
  return k + Math.floor(((base - tMin + 1) * delta) / (delta + skew))
}
