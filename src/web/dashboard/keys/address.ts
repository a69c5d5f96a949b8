/** The address of the list of keys, and of the dialog above it. */

/** The parameters that make it the list of one account: its id, or that of one of its keys. */
const filters = ['of', 'key'] as const

/** The list as the address of the page filters it, with further parameters. */
export function keysAddress(parameters: URLSearchParams, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(more)
  for (const name of filters) {
    const value = parameters.get(name)
    if (value !== null) query.set(name, value)
  }
  return query.size === 0 ? '/keys' : `/keys?${query}`
}
