/** The owner's color, made lighter or darker until texts and buttons have contrast in both schemes (WCAG 2.2). */

/** The backgrounds of a scheme, on which the color has to be readable. */
interface Scheme {
  readonly backgrounds: readonly string[]
  /** What the color is mixed with. */
  readonly towards: string
}

export const schemes = {
  light: { backgrounds: ['#fbfaf7', '#ffffff', '#f0ede7'], towards: '#000000' },
  dark: { backgrounds: ['#16181a', '#202326', '#2a2e32'], towards: '#ffffff' },
} as const satisfies Readonly<Record<string, Scheme>>

/** The least contrast of text (success criterion 1.4.3). */
const leastContrast = 4.5
const steps = 64

/** The first mixture of `color` with the end of the scheme that has enough contrast on every background. */
export function readableColor(color: string, { backgrounds, towards }: Scheme): string {
  for (let step = 0; step < steps; step++) {
    const mixed = mix(color, towards, step / steps)
    if (backgrounds.every((background) => contrast(mixed, background) >= leastContrast)) return mixed
  }
  return towards
}

/** The contrast ratio of two colors, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(color: string, other: string, share: number): string {
  const others = channelsOf(other)
  const channels = channelsOf(color).map((channel, i) => Math.round(channel + ((others[i] ?? 0) - channel) * share))
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

const channelsOf = (color: string) => [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))
