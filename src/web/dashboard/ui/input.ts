/** Converts input from fields and from the page's address for the API: names, texts, ids and days. */

/** The pause after a key until the typed text is searched for. */
export const typingPauseMs = 150

const usualLongestName = 100

/** The problem of a name, in words; undefined if it has none. `request` asks for a name where there is none. */
export function nameProblem(name: string, request: string, longest = usualLongestName): string | undefined {
  const trimmed = name.trim()
  if (trimmed === '') return request
  if ([...trimmed].length > longest) return `This name is too long. Use at most ${longest} letters.`
  // A cell that is pasted from a spreadsheet may contain a tab.
  if (/\p{Cc}/u.test(trimmed)) return 'This name contains characters that cannot be shown. Type it again.'
  return undefined
}

/** The part of a typed text that the API searches for: it takes at most 100 characters. Undefined for an empty text. */
export function searchTextOf(text: string | null): string | undefined {
  return [...(text ?? '').trim()].slice(0, 100).join('') || undefined
}

/** The id in a parameter of an address, 0 if there is none. */
export function idIn(parameters: URLSearchParams, name: string): number {
  const id = Number(parameters.get(name))
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

/** The parameters of an address with some of them changed; undefined or an empty text removes one. */
export function withParameters(
  parameters: URLSearchParams,
  change: Readonly<Record<string, string | undefined>>,
): URLSearchParams {
  const next = new URLSearchParams(parameters)
  for (const [name, value = ''] of Object.entries(change)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}

/** An address with its parameters, as `/orders?q=7`. */
export const addressWith = (path: string, parameters: URLSearchParams): string =>
  parameters.size === 0 ? path : `${path}?${parameters}`

/** The members that have a value: an optional member of a request is left out rather than undefined. */
export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** The last day that a field of dates offers: the year of a time has four digits (RFC 3339). */
export const lastDay = '9999-12-31'

/** Today in this time zone, as a field of dates writes it. */
export function today(): string {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

/** The first moment of a day in this time zone, as a time of the API; undefined for a text that is no day. */
export const startOfDay = (day: string | null): string | undefined => timeOf(day, '00:00:00.000')

/** The last moment of a day; undefined for a text that is no day. */
export const endOfDay = (day: string | null): string | undefined => timeOf(day, '23:59:59.999')

function timeOf(day: string | null, time: string): string | undefined {
  if (day === null || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const moment = Date.parse(`${day}T${time}`)
  // West of Greenwich, the last day ends in the year 10000.
  return Number.isNaN(moment)
    ? undefined
    : new Date(Math.min(moment, Date.parse(`${lastDay}T23:59:59.999Z`))).toISOString()
}
