/**
 * Decides, at each request, what a host gets on the public ports: the API, the site of a project, a redirect, a
 * response for the certificate authority, or a page that says why there is nothing.
 *
 * - `api.` of the platform's domain is the API with its pages, only over HTTPS.
 * - A label below the domain of the sites is the project with that slug. While the project's primary domain works, it
 * redirects there.
 * - A domain that is proven to belong to a project is its site, or redirects to its primary domain.
 * - Every other name is a 421, also the rest of the platform's domain.
 */

import { forwardedScheme } from '../api/client-networks.ts'
import { contextOf } from '../api/context.ts'
import type { Certificate, Hosts, Site } from '../api/host.ts'
import { pathAndQueryOf, pathOf } from '../api/target.ts'
import type { DomainRoutes } from './domains/routing-table.ts'
import type { LiveSites } from './sites/live.ts'
import {
  badRequestPage,
  methodNotAllowedPage,
  misdirectedPage,
  notEncryptedYetPage,
  notFoundPage,
  unknownSchemePage,
} from './sites/pages.ts'

export interface HostsParts {
  readonly platformDomain: string
  /** The domain whose labels are slugs; it may be the platform's own. */
  readonly sitesDomain: string
  /** Whether a proxy ends TLS: then no name has a certificate, and every name is served over HTTPS. */
  readonly isProxied: boolean
  /** Whether everything is served over HTTP, to this machine alone. */
  readonly isLocal: boolean
  /** The port of HTTPS, for requests whose Host names a port. */
  readonly httpsPort: () => number
  /** The API and its pages. */
  readonly platform: Site
  readonly sites: Pick<LiveSites, 'ofSlug' | 'ofProject'>
  readonly routes: Pick<DomainRoutes, 'find' | 'primaryOf'>
  /** The certificate of a name, whether the name is served or not. */
  readonly certificateOf: (name: string) => Certificate | undefined
  /** The key authorization (RFC 8555 section 8.1) for a challenge of this very name. */
  readonly challengeResponse: (name: string, token: string) => string | undefined
  /** The response to the probe: proves that an address leads to this process. */
  readonly probeText: string
  /** Whether an address is a proxy whose headers count. */
  readonly isTrusted: (address: string) => boolean
}

/** Where a name leads. `hsts`: whether responses over HTTPS have `Strict-Transport-Security` (RFC 6797). */
type Destination = { readonly hsts: boolean } & (
  | { readonly site: Site }
  /** `to` is a host name; path and query of the request are kept. */
  | { readonly redirect: { readonly to: string; readonly status: number } }
)

const challengePrefix = '/.well-known/acme-challenge/'

/** The token of the probe: it looks like a challenge, so that whatever lets challenges pass lets the probe pass. */
const probeToken = 'petstore-probe'

/** The path that the service fetches from its own public addresses. */
export const probePath = challengePrefix + probeToken

const yearSeconds = 31_536_000

/** How long a redirect may be cached, in seconds: domains and their roles change. */
const redirectSeconds = 300

/** A slug redirects only for as long as the primary domain works. */
const slugRedirectStatus = 307

export function createHosts(parts: HostsParts): Hosts {
  const { platformDomain, sitesDomain, isProxied, isLocal, httpsPort, platform, sites, routes } = parts
  const { certificateOf, challengeResponse, probeText, isTrusted } = parts
  const apiHost = `api.${platformDomain}`

  /** Undefined for a name that leads nowhere. */
  function destinationOf(name: string): Destination | undefined {
    if (name === apiHost) return { site: platform, hsts: true }
    if (name === platformDomain || name === sitesDomain) return undefined
    if (isBelow(name, sitesDomain)) return slugDestination(name.slice(0, -sitesDomain.length - 1))
    return isBelow(name, platformDomain) ? undefined : domainDestination(name)
  }

  function slugDestination(slug: string): Destination | undefined {
    const live = slug.includes('.') ? undefined : sites.ofSlug(slug)
    if (live === undefined) return undefined
    const to = live.projectId === undefined ? undefined : routes.primaryOf(live.projectId)
    if (to === undefined) return { site: live.site, hsts: false }
    return { redirect: { to, status: slugRedirectStatus }, hsts: false }
  }

  function domainDestination(name: string): Destination | undefined {
    const route = routes.find(name)
    if (route === undefined) return undefined
    if ('redirect' in route) return route
    const live = sites.ofProject(route.projectId)
    return live && { site: live.site, hsts: route.hsts }
  }

  const hasHttps = (name: string) => isProxied || certificateOf(name) !== undefined

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
    return destinationOf(name) === undefined ? misdirectedPage() : notFoundPage()
  }

  /** A request that may carry a key is not redirected: the client has to be corrected. The API rejects it. */
  function platformInClear(request: Request, name: string): Response | Promise<Response> {
    if (/^\/(v1|metrics)(\/|$)/.test(pathOf(request.url))) {
      const context = contextOf(request)
      if (context) context.requiredOrigin = `https://${name}`
      return platform(request)
    }
    return hasHttps(name) ? toHttps(request, name, 308) : notEncryptedYetPage()
  }

  function inClear(request: Request, name: string): Response | Promise<Response> {
    const challenged = challenge(request, name)
    if (challenged !== undefined) return challenged
    const destination = destinationOf(name)
    if (destination === undefined) return misdirectedPage()
    if (name === apiHost && !isLocal) return platformInClear(request, name)
    if ('redirect' in destination) {
      const { to, status } = destination.redirect
      // This redirect to HTTPS and to another name, in one, must not be more permanent than either.
      return toHttps(request, to, status === 301 ? 308 : status)
    }
    return hasHttps(name) ? toHttps(request, name, 308) : destination.site(request)
  }

  function overHttps(request: Request, name: string): Response | Promise<Response> {
    const destination = destinationOf(name)
    if (destination === undefined) return misdirectedPage()
    const response =
      'redirect' in destination
        ? (challenge(request, name) ?? toHttps(request, destination.redirect.to, destination.redirect.status))
        : destination.site(request)
    if (!destination.hsts) return response
    return response instanceof Promise ? response.then(withHsts) : withHsts(response)
  }

  /** A request that a trusted proxy passes on, which ends TLS and says so. */
  function proxied(request: Request, name: string): Response | Promise<Response> {
    const context = contextOf(request)
    if (context) context.isSecure = true
    return challenge(request, name) ?? overHttps(request, name)
  }

  /** The scheme that a client has used, as far as it is known behind a proxy. */
  function schemeOf(request: Request): string | undefined {
    const peer = isProxied ? contextOf(request)?.peer.requestIP(request)?.address : undefined
    if (peer === undefined || !isTrusted(peer)) return 'http'
    return forwardedScheme(request)
  }

  return {
    certificate(name) {
      const certificate = certificateOf(name)
      return certificate === undefined || destinationOf(name) === undefined ? undefined : certificate
    },
    respondOverHttps(request, name, host) {
      if (request.method === 'CONNECT') return methodNotAllowedPage()
      if (host === undefined) return badRequestPage()
      return host === name ? overHttps(request, name) : misdirectedPage()
    },
    respondInClear(request, host) {
      // CONNECT is for proxies. Its target is an authority, so its URL has neither a path nor the Host.
      if (request.method === 'CONNECT') return methodNotAllowedPage()
      const scheme = schemeOf(request)
      if (scheme !== 'http' && scheme !== 'https') return unknownSchemePage()
      if (host === undefined) return badRequestPage()
      return scheme === 'https' ? proxied(request, host) : inClear(request, host)
    },
  }
}

const isBelow = (name: string, domain: string) => name.endsWith(domain) && name.at(-domain.length - 1) === '.'

const challengeHeaders = {
  'content-type': 'application/octet-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** RFC 6797 section 6.1. */
function withHsts(response: Response): Response {
  response.headers.set('strict-transport-security', `max-age=${yearSeconds}`)
  return response
}
