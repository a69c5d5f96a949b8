/**
 * The page at /docs: the guide, and Swagger UI with /openapi.json. The page loads all files from its origin, to which
 * "Try it out" also sends its requests.
 */

import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { fields } from './fields.ts'
import { guide } from './guide.ts'
import { keyDialog } from './key-dialog.ts'
import { layout } from './layout.ts'
import { references } from './references.ts'
import { responses } from './responses.ts'

interface Description {
  info: { title: string; description: string }
  servers: readonly { url: string; description: string }[]
}

const place = document.querySelector('#api') as HTMLElement

followColorScheme()
show().catch((error: unknown) => {
  place.innerHTML = '<p class="notice" role="alert"></p>'
  const reason = error instanceof Error ? error.message : String(error)
  ;(place.firstElementChild as HTMLElement).textContent =
    `The description of the API cannot be shown: ${reason} Reload the page to try again.`
})

async function show(): Promise<void> {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`the server responded with ${response.status}.`)
  const description = (await response.json()) as Description
  const [server] = description.servers
  if (server === undefined) throw new Error('it lists no server.')
  // The description has the address that the operator configured; this page may be open through a tunnel or a proxy.
  const url = `${location.origin}/v1`
  const { summary, chapters } = splitDescription(description.info.description.replaceAll(server.url, url))
  document.title = description.info.title
  place.replaceChildren()
  SwaggerUI({
    domNode: place,
    spec: {
      ...description,
      info: { ...description.info, description: summary },
      servers: [{ ...server, url }],
    },
    plugins: [
      layout({ url, environment: server.description }),
      guide(chapters),
      references,
      responses,
      fields,
      keyDialog,
    ],
    layout: 'DocsLayout',
    // No parameter in the page's address may choose another description or change an option.
    queryConfigEnabled: false,
    validatorUrl: null,
    deepLinking: true,
    persistAuthorization: true,
    displayRequestDuration: true,
    filter: true,
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 2,
    syntaxHighlight: { theme: 'obsidian' },
  })
}

/** The first paragraph, and the chapters after it, each with its heading. */
function splitDescription(text: string): { summary: string; chapters: { title: string; text: string }[] } {
  const [summary = '', ...chapters] = text.split(/^## /m)
  return {
    summary,
    chapters: chapters.map((chapter) => {
      const end = chapter.indexOf('\n')
      return { title: chapter.slice(0, end), text: chapter.slice(end).trim() }
    }),
  }
}

/** Switches Swagger UI's dark mode on and off with the system's colour scheme. */
function followColorScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', apply)
  apply()
}
