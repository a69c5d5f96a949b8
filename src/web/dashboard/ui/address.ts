/** What stands in the address of a page. */

/** The id in a parameter, 0 if there is none. */
export function idIn(parameters: URLSearchParams, name: string): number {
  const id = Number(parameters.get(name))
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

/** The part of a typed text that the API searches for: it takes at most 100 characters. */
export function searchTextOf(text: string): string {
  return [...text.trim()].slice(0, 100).join('')
}
