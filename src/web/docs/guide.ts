/**
 * The guide: the long part of the API's description, above the operations. It is folded, so that the first operation is on
 * the first screen. Each chapter has an address that opens the guide.
 */

import type { ReactLike, UiPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

interface Chapter {
  readonly title: string
  /** Markdown. */
  readonly text: string
}

export function guide(chapters: readonly Chapter[]): UiPlugin {
  return ({ React, getComponent }) => {
    const h = React.createElement

    function section({ title, text }: Chapter) {
      const link = h('a', { href: `#${anchor(title)}` }, title, h('span', { 'aria-hidden': true }, ' #'))
      return h(
        'section',
        { key: title },
        h('h3', { id: anchor(title) }, link),
        h(getComponent('Markdown', true), { source: text }),
      )
    }

    return {
      components: {
        Guide: () => {
          const details = React.useRef<HTMLDetailsElement>(null)
          useAnchors(React, details)
          if (chapters.length === 0) return null
          return h(
            'details',
            { className: 'guide', id: 'guide', ref: details },
            h('summary', null, h('h2', null, 'Guide')),
            h(
              'div',
              { className: 'guide-body' },
              h(
                'nav',
                { 'aria-label': 'Chapters of the guide' },
                h(
                  'ul',
                  null,
                  ...chapters.map(({ title }) => h('li', { key: title }, h('a', { href: `#${anchor(title)}` }, title))),
                ),
              ),
              h('div', { className: 'guide-chapters' }, ...chapters.map(section)),
            ),
          )
        },
      },
      // Swagger UI reads every fragment as the address of an operation and replaces it.
      statePlugins: {
        layout: {
          wrapActions: {
            parseDeepLinkHash: (original) => (hash: string) =>
              hash.startsWith('#/') ? original(hash as never) : { type: 'petstore_guide_address' },
          },
        },
      },
    }
  }
}

function anchor(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** Unfolds the guide and scrolls to the chapter in the page's address, now and when the address changes. */
function useAnchors({ useEffect }: ReactLike, details: { current: HTMLDetailsElement | null }): void {
  useEffect(() => {
    function unfold(hash: string): HTMLElement | null {
      const name = hash.slice(1)
      const target = name === '' || name.startsWith('/') ? null : document.getElementById(name)
      if (target !== null && details.current?.contains(target)) details.current.open = true
      return target
    }
    const show = () => unfold(location.hash)?.scrollIntoView()
    // Swagger UI scrolls to the target of a link within the page without a `hashchange`.
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element) unfold(target.closest('a')?.hash ?? '')
    }
    show()
    addEventListener('hashchange', show)
    document.addEventListener('click', onClick)
    return () => {
      removeEventListener('hashchange', show)
      document.removeEventListener('click', onClick)
    }
  }, [details])
}
