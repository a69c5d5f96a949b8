/** What stands in the address of a page. */

/** The id in a parameter, 0 if there is none. */
export function idIn(parameters: URLSearchParams, name: string): number {
  const id = Number(parameters.get(name))
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}
