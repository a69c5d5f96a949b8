/** The pages that the service itself sends on the hosts of sites. They name neither the service nor a project. */

interface Page {
  readonly status: number
  readonly title: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

function createPage({ status, title, message, headers = {} }: Page): (more?: Record<string, string>) => Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title}</h1>
<p>${message}</p>
</html>
`
  const common = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  }
  return (more) => new Response(html, { status, headers: more === undefined ? common : { ...common, ...more } })
}

export const badRequestPage = createPage({
  status: 400,
  title: 'Bad request',
  message: 'The Host header of the request is missing, given twice or malformed. Send the name of one site.',
})

export const unknownSchemePage = createPage({
  status: 400,
  title: 'Unknown scheme',
  message:
    'The proxy in front of this server does not say whether the request came over HTTPS. It has to send the header X-Forwarded-Proto.',
})

export const notFoundPage = createPage({
  status: 404,
  title: 'Page not found',
  message: 'There is nothing at this address. Check the address for typing mistakes.',
})

export const unpublishedPage = createPage({
  status: 404,
  title: 'Nothing published here yet',
  message: 'This address belongs to a website that has not been published. Come back later.',
})

export const methodNotAllowedPage = createPage({
  status: 405,
  title: 'Method not allowed',
  message: 'This site can only be read. Use GET or HEAD.',
  headers: { allow: 'GET, HEAD' },
})

export const preconditionFailedPage = createPage({
  status: 412,
  title: 'Precondition failed',
  message: 'The file is not in the state that the request names. Fetch it again.',
})

export const unavailablePage = createPage({
  status: 503,
  title: 'Website unavailable',
  message: 'The server cannot look up this website at the moment. Try again later.',
  headers: { 'retry-after': '10' },
})

/** Needs a `Content-Range` that names the size. */
export const unsatisfiableRangePage = createPage({
  status: 416,
  title: 'Range not satisfiable',
  message: 'The file ends before the requested range. Content-Range names its size.',
})

export const misdirectedPage = createPage({
  status: 421,
  title: 'No site here',
  message: 'This server has no site under this name. Check the address, or the DNS record of the name.',
})

export const unreadablePage = createPage({
  status: 503,
  title: 'Page unavailable',
  message: 'The server cannot read this file at the moment. Try again later.',
  headers: { 'retry-after': '60' },
})

export const notEncryptedYetPage = createPage({
  status: 503,
  title: 'Not ready yet',
  message:
    'This address has no certificate yet. It is served only over HTTPS, as soon as there is one: try again later.',
  headers: { 'retry-after': '60' },
})
