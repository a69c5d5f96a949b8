/**
 * Responds to a GET of a declared path without composing a context for Elysia, which costs as much as authentication and
 * limits together (decision 32). Elysia routes all other requests to the same functions of the endpoints.
 */

import type { Principal } from '../../principal.ts'
import { AdmissionHeaders, type Admit, setAdmissionHeaders } from '../admission-headers.ts'
import type { ResponseHead } from '../conditions.ts'
import { pathOf } from '../target.ts'

/** The path parameters of a request as they were sent. */
export type RawParams = Readonly<Record<string, string>> | undefined

/** Responds to an admitted request. */
export type Respond = (request: Request, admission: AdmissionHeaders, principal: Principal) => Response

/** Returns the function that responds to the requests of one URL. The function may keep what it derives from the URL. */
export type Route = (url: string, params: RawParams) => Respond

/** The maximum of URLs whose routes are kept, and the maximum length of one. Most requests repeat a few. */
const maximumUrls = 1_024
const maximumUrlLength = 300

/** The name of a parameter that is the last segment of a declared path, after the path before it. */
const lastParameter = /^([^{}]+\/)\{([^}]+)\}$/

export type DirectRoutes = ReturnType<typeof createDirectRoutes>

/** Creates the table of the declared paths of GET, which is empty at first. */
export function createDirectRoutes() {
  /** By path. Undefined stands for an endpoint that Elysia routes. */
  const routes = new Map<string, Route | undefined>()
  /** By the path before a parameter that is the last segment. */
  const parameters = new Map<string, { readonly name: string; readonly route: Route }>()
  const known = new Map<string, Respond>()

  function resolve(url: string): Respond | undefined {
    const path = pathOf(url)
    if (routes.has(path)) return routes.get(path)?.(url, undefined)
    const start = path.lastIndexOf('/') + 1
    const parameter = parameters.get(path.slice(0, start))
    const value = path.slice(start)
    // Elysia decodes parameters.
    if (parameter === undefined || value === '' || value.includes('%')) return undefined
    return parameter.route(url, { [parameter.name]: value })
  }

  return {
    /** Adds an endpoint; without `route`, or if a parameter is not the last segment, Elysia routes its requests. */
    add(path: string, route: Route | undefined): void {
      const [, before, name] = lastParameter.exec(path) ?? []
      if (before === undefined || name === undefined) routes.set(`/v1${path}`, route)
      else if (route) parameters.set(`/v1${before}`, { name, route })
    },
    /** The function for the GET requests of a URL; undefined if Elysia has to route them. */
    find(url: string): Respond | undefined {
      const kept = known.get(url)
      if (kept) return kept
      const found = resolve(url)
      if (found === undefined || url.length > maximumUrlLength) return found
      if (known.size >= maximumUrls) known.clear()
      known.set(url, found)
      return found
    },
  }
}

/** The hooks that Elysia calls for the requests which it routes. */
export interface Hooks {
  readonly admit: Admit
  readonly writeError: (failure: { error: unknown; code: unknown; head: ResponseHead; request: Request }) => string
}

/** Returns a function that responds to a request, or returns undefined if Elysia has to route it. */
export function createDirect(routes: DirectRoutes, { admit, writeError }: Hooks) {
  return (request: Request): Response | undefined => {
    const respond = request.method === 'GET' ? routes.find(request.url) : undefined
    if (respond === undefined) return undefined
    const admission = new AdmissionHeaders()
    try {
      const admitted = admit(request, admission)
      if (!('body' in admitted)) return respond(request, admission, admitted)
      setAdmissionHeaders(admitted.headers, admission)
      return responseOf(admitted)
    } catch (error) {
      const head: ResponseHead = { headers: {} }
      setAdmissionHeaders(head.headers, admission)
      const body = writeError({ error, code: undefined, head, request })
      return responseOf({ ...head, body })
    }
  }
}

function responseOf({ status = 200, headers, body }: ResponseHead & { readonly body: string }): Response {
  return new Response(body, { status: Number(status), headers: headers as Record<string, string> })
}
