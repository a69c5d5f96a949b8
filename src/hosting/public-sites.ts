/**
 * The responses of the public listeners, by host: sites, redirects to HTTPS and to the primary domain, challenges of the
 * certificate authority. In the clear, the API is never served.
 */

import { contextOf } from '../api/http/context.ts'
import { pathAndQueryOf, pathOf } from '../api/http/target.ts'
import type { Site } from '../server/handle.ts'
import type { Host } from './sites/hosts.ts'
import { badRequestPage, misdirectedPage, notEncryptedYetPage, notFoundPage, unknownSchemePage } from './sites/pages.ts'

export interface PublicSitesOptions {
  /** The host of a name; undefined for a name that is none here. */
  readonly find: (name: string) => Host | undefined
  /** Whether browsers can reach a name over HTTPS. */
  readonly hasHttps: (name: string) => boolean
  /** The port of HTTPS, for requests whose Host names a port. */
  readonly httpsPort: () => number
  /** The key authorization (RFC 8555 section 8.1) for a challenge of this very name. */
  readonly challengeResponse: (name: string, token: string) => string | undefined
  /** The response to the probe: proves that an address leads to this process. */
  readonly probeText: string
  /** Whether an address is a proxy whose headers count. */
  readonly isTrusted: (address: string) => boolean
}

export interface PublicSites {
  /** The site of a name over HTTPS; undefined for a name that is none here. */
  secure(name: string): Site | undefined
  /** The site for a request in the clear. */
  plain(name: string | undefined): Site
  /** The site for a request that may come through a proxy, which ends TLS and passes Host on. */
  proxied(name: string | undefined, request: Request): Site
}

const challengePrefix = '/.well-known/acme-challenge/'

/** The token of the probe: it looks like a challenge, so that whatever lets challenges pass lets the probe pass. */
const probeToken = 'petstore-probe'

/** The path that the service fetches from its own public addresses. */
export const probePath = challengePrefix + probeToken

const yearSeconds = 31_536_000

/** How long a redirect may be cached, in seconds: domains and their roles change. */
const redirectSeconds = 300

export function createPublicSites(options: PublicSitesOptions): PublicSites {
  const { find, hasHttps, httpsPort, challengeResponse, probeText, isTrusted } = options

  /** Redirects to the same path and query of `name` over HTTPS. */
  function toHttps(request: Request, name: string, status: number): Response {
    const namesPort = /:\d+$/.test(request.headers.get('host') ?? '')
    const port = namesPort && httpsPort() !== 443 ? `:${httpsPort()}` : ''
    const location = `https://${name}${port}${pathAndQueryOf(request.url)}`
    const context = contextOf(request)
    if (context) context.operation = 'redirect'
    return new Response(null, { status, headers: { location, 'cache-control': `max-age=${redirectSeconds}` } })
  }

  /** Undefined for paths that do not belong to the certificate authority or the probe. */
  function challenge(request: Request, name: string): Response | undefined {
    const path = pathOf(request.url)
    if (!path.startsWith(challengePrefix)) return undefined
    const context = contextOf(request)
    if (context) context.operation = 'challenge'
    const token = path.slice(challengePrefix.length)
    const text = token === probeToken ? probeText : challengeResponse(name, token)
    if (text !== undefined) return new Response(text, { headers: challengeHeaders })
    return find(name) === undefined ? misdirectedPage() : notFoundPage()
  }

  /** A request that may carry a key is not redirected: the client has to be corrected. The API rejects it. */
  function platformInClear(request: Request, name: string, platform: Site): Response | Promise<Response> {
    const path = pathOf(request.url)
    if (/^\/(v1|metrics)(\/|$)/.test(path)) {
      const context = contextOf(request)
      if (context) context.requiredOrigin = `https://${name}`
      return platform(request)
    }
    return hasHttps(name) ? toHttps(request, name, 308) : notEncryptedYetPage()
  }

  function inClear(request: Request, name: string): Response | Promise<Response> {
    const challenged = challenge(request, name)
    if (challenged !== undefined) return challenged
    const host = find(name)
    if (host === undefined) return misdirectedPage()
    if ('platform' in host) return platformInClear(request, name, host.platform)
    if ('redirect' in host) return toHttps(request, host.redirect.to, combinedStatus(host.redirect.status))
    return hasHttps(name) ? toHttps(request, name, 308) : host.site(request)
  }

  function secure(name: string): Site | undefined {
    const host = find(name)
    if (host === undefined) return undefined
    if ('platform' in host) return withHsts(host.platform)
    const { hsts = false } = host
    const site: Site =
      'redirect' in host
        ? (request) => challenge(request, name) ?? toHttps(request, host.redirect.to, host.redirect.status)
        : host.site
    return hsts ? withHsts(site) : site
  }

  const plain = (name: string | undefined): Site =>
    name === undefined ? badRequestSite : (request) => inClear(request, name)

  return {
    secure,
    plain,
    proxied(name, request) {
      const context = contextOf(request)
      const peer = context?.peer.requestIP(request)?.address
      if (peer === undefined || !isTrusted(peer)) return plain(name)
      const scheme = request.headers.get('x-forwarded-proto')?.trim().toLowerCase()
      if (scheme === 'http') return plain(name)
      if (scheme !== 'https') return unknownSchemeSite
      if (name === undefined) return badRequestSite
      if (context) context.isSecure = true
      return (one) => challenge(one, name) ?? (secure(name) ?? misdirectedSite)(one)
    },
  }
}

const challengeHeaders = {
  'content-type': 'application/octet-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

const badRequestSite: Site = () => badRequestPage()
const misdirectedSite: Site = () => misdirectedPage()
const unknownSchemeSite: Site = () => unknownSchemePage()

/** The redirect to HTTPS and the one to another name, in one: it must not be more permanent than either. */
function combinedStatus(status: number): number {
  return status === 301 ? 308 : status
}

/** RFC 6797 section 6.1. */
function withHsts(site: Site): Site {
  const add = (response: Response): Response => {
    response.headers.set('strict-transport-security', `max-age=${yearSeconds}`)
    return response
  }
  return (request) => {
    const response = site(request)
    return response instanceof Promise ? response.then(add) : add(response)
  }
}
