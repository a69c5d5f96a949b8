/**
 * The cookies of the dashboard. Their names contain a random id of the store, because browsers send the cookies of a
 * host to every port: production and staging on one machine must not overwrite each other's. Over HTTPS only the names
 * with `__Host-` are read, which no other host and no plain HTTP can set (RFC 6265bis section 4.1.3.2).
 */

import { longestSessionMs } from '../access/owner/rules.ts'
import type { Browser } from '../access/owner/sessions.ts'

/** The longest lifetime that browsers accept. */
const browserSeconds = 400 * 86_400
const sessionSeconds = longestSessionMs / 1_000

/** A browser sends several cookies of one name if they were set for different paths or domains; more are ignored. */
const cookiesOfOneName = 4

export function createCookies(cookieId: string) {
  const namesOf = (isHttps: boolean) => {
    const prefix = isHttps ? '__Host-petstore' : 'petstore'
    return { session: `${prefix}-${cookieId}`, browser: `${prefix}-browser-${cookieId}` }
  }

  function setCookie(name: string, value: string, maxAge: number, isHttps: boolean): string {
    const scope = isHttps ? 'Path=/; Secure' : 'Path=/dashboard/'
    return `${name}=${value}; ${scope}; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`
  }

  return {
    /** The secrets that a browser sends. */
    read({ headers }: Request, isHttps: boolean): Pick<Browser, 'sessionSecrets' | 'browserSecrets'> {
      const names = namesOf(isHttps)
      const header = headers.get('cookie')
      if (header === null) return { sessionSecrets: [], browserSecrets: [] }
      const pairs = header.split(';').map((pair) => pair.trim())
      const valuesOf = (name: string) =>
        pairs
          .filter((pair) => pair.startsWith(`${name}=`))
          .slice(0, cookiesOfOneName)
          .map((pair) => pair.slice(name.length + 1))
      return { sessionSecrets: valuesOf(names.session), browserSecrets: valuesOf(names.browser) }
    },
    /** The `Set-Cookie` headers of a sign-in. */
    signedIn(
      { sessionSecret, browserSecret }: { readonly sessionSecret: string; readonly browserSecret: string | undefined },
      isHttps: boolean,
    ): string[] {
      const names = namesOf(isHttps)
      const session = setCookie(names.session, sessionSecret, sessionSeconds, isHttps)
      if (browserSecret === undefined) return [session]
      return [session, setCookie(names.browser, browserSecret, browserSeconds, isHttps)]
    },
    /** The `Set-Cookie` header of a sign-out. */
    signedOut: (isHttps: boolean): string => setCookie(namesOf(isHttps).session, '', 0, isHttps),
  }
}
export type Cookies = ReturnType<typeof createCookies>
