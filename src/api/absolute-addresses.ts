/**
 * The addresses in `Link` and `Location`. They are paths where they are made, cached, stored and covered by an ETag,
 * and become absolute when a response is sent.
 */

import type { ClientNetworks } from './client-networks.ts'
import { contextOf } from './context.ts'

export interface AddressParts {
  /** The address of the API that the operator has given, ending in `/v1`; undefined if there is none. */
  readonly givenUrl: string | undefined
  readonly networks: Pick<ClientNetworks, 'isHttps'>
}

/**
 * Returns a function that makes the addresses of a response absolute: below the given address of the API, else below
 * the one that the client has sent the request to. A command has sent it to a socket: its addresses stay paths, as do
 * those of a request whose Host is unusable.
 */
export function createAbsoluteAddresses({ givenUrl, networks }: AddressParts) {
  const given = givenUrl?.replace(/\/v1$/, '')

  /** What comes before `/v1`. */
  function baseOf(request: Request): string {
    const context = contextOf(request)
    if (context === undefined || context.isCommand === true) return ''
    if (given !== undefined) return given
    if (context.hasInvalidHost) return ''
    const scheme = networks.isHttps(request, context.peer, context.isSecure) ? 'https' : 'http'
    return `${scheme}://${request.headers.get('host')}`
  }

  return (request: Request, response: Response): Response => {
    const { headers } = response
    const link = headers.get('link')
    const location = link === null ? headers.get('location') : null
    if (link !== null) headers.set('link', absoluteLink(link, baseOf(request)))
    if (location !== null) headers.set('location', baseOf(request) + location)
    return response
  }
}

/** Most responses have one link, and every page has it: splitting its text would double the cost. */
function absoluteLink(link: string, base: string): string {
  return link.includes('</', 1) ? link.split('</').join(`<${base}/`) : `<${base}${link.slice(1)}`
}
