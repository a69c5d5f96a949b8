/**
 * Markdown of the owner as elements: without HTML, scripts, images and addresses that run code. Everything that is
 * neither a known element nor a permitted address becomes its text.
 */

import type { ReactNode } from 'react'

const permittedAddress = /^(?:https?:\/\/|mailto:|tel:|\/(?![/\\\s]))/i

const options = { noHtmlBlocks: true, noHtmlSpans: true, autolinks: { url: true, email: true } } as const

/** The address of a link that is a mailbox has no scheme. */
const mailbox = /^[^\s:/?#@]+@[^\s:/?#@]+$/

/** The levels of nested elements; more would exceed the stack when they are rendered. */
const deepestLevel = 50
/** A text that could have more cells has no tables. */
const mostCells = 5_000

interface WithChildren {
  readonly children?: ReactNode
}

const overrides = {
  a({ href, title, children }: WithChildren & { readonly href: string; readonly title?: string }) {
    const address = mailbox.test(href) ? `mailto:${href}` : href
    if (!permittedAddress.test(address)) return children
    return (
      <a href={address} title={title}>
        {children}
      </a>
    )
  },
  img: ({ alt }: { readonly alt?: string }) => alt ?? '',
  pre: ({ children }: WithChildren) => (
    <pre>
      <code>{children}</code>
    </pre>
  ),
  // The alignment of a column would be an obsolete attribute.
  th: ({ children }: WithChildren) => <th>{children}</th>,
  td: ({ children }: WithChildren) => <td>{children}</td>,
  // The page has its own first heading.
  h1: 'h2',
  h2: 'h3',
  h3: 'h4',
  h4: 'h5',
  h5: 'h6',
}

export function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="prose" dir="auto">
      {elementsOf(text) ?? <p className="lines">{text}</p>}
    </div>
  )
}

/** Undefined for a text that is nested too deep. */
function elementsOf(text: string): ReactNode | undefined {
  try {
    const elements: ReactNode = Bun.markdown.react(text, overrides, { ...options, tables: hasFewCells(text) })
    return isDeeper(elements, deepestLevel) ? undefined : elements
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Each row of a table gets as many cells as the first: a few characters would make a page of megabytes. */
function hasFewCells(text: string): boolean {
  const lines = text.split('\n')
  const columns = Math.max(...lines.map((line) => line.split('|').length))
  return columns * lines.length <= mostCells
}

function isDeeper(node: unknown, levels: number): boolean {
  if (levels === 0) return true
  if (Array.isArray(node)) return node.some((child) => isDeeper(child, levels))
  const { props } = (node ?? {}) as { readonly props?: WithChildren }
  return props !== undefined && isDeeper(props.children, levels - 1)
}

/** The beginning of a text without its markup, for descriptions in search engines. */
export function plainText(text: string, maximum: number): string {
  // The rest can't appear in it.
  const plain = text
    .slice(0, 4 * maximum)
    .toWellFormed()
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`#>|~]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...plain]
  if (characters.length <= maximum) return plain
  const words = characters.slice(0, maximum - 1).join('')
  return `${words.replace(/\s+\S*$/, '')}…`
}
