/** The path of a request. It is read as text, because `new URL` throws on a malformed Host. */

/** The path of a request's URL, without its query. For an unusable Host, Bun's URL is a path alone. */
export function pathOf(url: string): string {
  // A URL without an origin may contain `://` in its query.
  const scheme = url.startsWith('/') ? -1 : url.indexOf('://')
  const start = scheme === -1 ? 0 : url.indexOf('/', scheme + 3)
  const query = url.indexOf('?', start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}

/** The path and the query of a request's URL, as the client has sent them. */
export function pathAndQueryOf(url: string): string {
  const query = url.indexOf('?')
  return pathOf(url) + (query === -1 ? '' : url.slice(query))
}
