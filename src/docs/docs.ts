/**
 * The page at /docs: Swagger UI over /openapi.json. Everything it loads comes from where it was loaded
 * itself, and that is also where "Try it out" calls go.
 */

import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { guideFold } from './guide-fold.ts'
import { integerInputs } from './integer-inputs.ts'
import { stabilityBadges } from './stability-badges.ts'

interface Description {
  info: { title: string; description: string }
  servers: readonly { url: string; description: string }[]
}

const place = document.querySelector('#api') as HTMLElement

followColorScheme()
show().catch((error: unknown) => {
  place.innerHTML = '<p class="notice" role="alert"></p>'
  const reason = error instanceof Error ? error.message : String(error)
  ;(place.firstElementChild as HTMLElement).textContent = `The description of the API can't be shown: ${reason}`
})

async function show(): Promise<void> {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`the server answered ${response.status}.`)
  const description = (await response.json()) as Description
  const running = description.servers[0]?.description ?? ''
  const { summary, guide } = splitDescription(description.info.description)
  document.title = description.info.title
  place.replaceChildren()
  SwaggerUI({
    domNode: place,
    spec: {
      ...description,
      info: { ...description.info, description: summary },
      servers: [{ url: `${location.origin}/v1`, description: running }],
    },
    plugins: [stabilityBadges, integerInputs, guideFold(guide)],
    validatorUrl: null,
    deepLinking: true,
    persistAuthorization: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 2,
    tryItOutEnabled: false,
    syntaxHighlight: { theme: 'obsidian' },
  })
}

/** The first paragraph, and the chapters after it. */
function splitDescription(text: string): { summary: string; guide: string } {
  const chapters = text.indexOf('\n## ')
  return chapters === -1
    ? { summary: text, guide: '' }
    : { summary: text.slice(0, chapters), guide: text.slice(chapters) }
}

/** Keeps Swagger UI's own dark mode as the system's colour scheme is. */
function followColorScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', apply)
  apply()
}
