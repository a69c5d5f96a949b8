/** The Host header (RFC 9112 section 3.2, RFC 3986 section 3.2.2). */

const hostExpression = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?)(?::([0-9]{0,5}))?$/

/** The host of a header in lower case, without port and final dot; undefined for a header that is missing, given twice or malformed. */
export function hostOf(header: string): string | undefined {
  // A port may be empty (RFC 3986 section 3.2.3).
  const [, host, port = ''] = hostExpression.exec(header.toLowerCase()) ?? []
  if (host === undefined || Number(port) > 65_535) return undefined
  if (host.startsWith('[') && !URL.canParse(`http://${host}`)) return undefined
  return host.endsWith('.') ? host.slice(0, -1) : host
}
