/** The development server of the dashboard; `scripts/dev.sh` starts it. */

import page from '../src/web/dashboard/index.html'

const upstream = process.argv[2] ?? 'http://127.0.0.1:8080'
const port = 5173

/**
 * Paths below /dashboard that are no pages. Setting up has the path of its page: do it at the address of the server.
 */
const dashboardRoutes = [
  '/dashboard/session',
  '/dashboard/sign-in',
  '/dashboard/sign-out',
  '/dashboard/sign-out-everywhere',
  '/dashboard/token',
  '/dashboard/sessions',
  '/dashboard/sessions/*',
  '/dashboard/email',
  '/dashboard/password',
  '/dashboard/live',
  '/dashboard/files/*',
]

/** Passes a request on with its headers, so that the server sees the cookie and where the request comes from. */
async function forward(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const headers = new Headers(request.headers)
  headers.delete('host')
  try {
    return await fetch(`${upstream}${pathname}${search}`, {
      method: request.method,
      headers,
      body: request.body,
      redirect: 'manual',
      decompress: false,
      signal: request.signal,
    })
  } catch {
    return new Response(`No server responds at ${upstream}. Start one: scripts/start.sh`, { status: 502 })
  }
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port,
  // The stream of events stays open.
  idleTimeout: 0,
  development: { hmr: true, console: true },
  routes: {
    ...Object.fromEntries(dashboardRoutes.map((path) => [path, forward])),
    '/dashboard/*': page,
  },
  fetch: forward,
})
console.log(`The dashboard is at ${server.url}dashboard/, the API at ${upstream}.`)
