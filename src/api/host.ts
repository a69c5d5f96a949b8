/**
 * Hosts: what is served under a name, and with which certificate. Features decide it, and listeners are given the
 * result.
 */

/** Serves every request of a host. */
export type Site = (request: Request) => Response | Promise<Response>

export interface Certificate {
  /** The certificate and its chain, in PEM. */
  readonly cert: string
  /** The private key, in PEM. */
  readonly key: string
}

/**
 * What each host gets on the public listeners, which ask again at every request. Names are in lower case without port
 * and final dot; `host` is that of the Host header, undefined if the header is unusable.
 */
export interface Hosts {
  /** Undefined if `name` is not served over HTTPS. The same object until the certificate changes. */
  certificate(name: string): Certificate | undefined
  /** Serves a request over HTTPS, on a connection to the server name `name`. */
  respondOverHttps(request: Request, name: string, host: string | undefined): Response | Promise<Response>
  /** Serves a request to the HTTP port. */
  respondInClear(request: Request, host: string | undefined): Response | Promise<Response>
}

const hostExpression = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?)(?::([0-9]{0,5}))?$/

/**
 * The host of a Host header (RFC 9112 section 3.2, RFC 3986 section 3.2.2) in lower case, without port and final dot;
 * undefined for a header that is missing, given twice or malformed.
 */
export function hostOf(header: string): string | undefined {
  // A port may be empty (RFC 3986 section 3.2.3).
  const [, host, port = ''] = hostExpression.exec(header.toLowerCase()) ?? []
  if (host === undefined || Number(port) > 65_535) return undefined
  if (host.startsWith('[') && !URL.canParse(`http://${host}`)) return undefined
  return host.endsWith('.') ? host.slice(0, -1) : host
}
