/** Shows the long part of the description folded below the short one, so that the operations come into view. */

import type { UiPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

/** `guide` is Markdown. */
export function guideFold(guide: string): UiPlugin {
  return {
    wrapComponents: {
      InfoContainer:
        (Original, { React, getComponent }) =>
        (props: object) => {
          const h = React.createElement
          const fold = h(
            'details',
            { className: 'guide' },
            h('summary', null, 'Guide: authentication, errors, limits, pages, retries, orders, versions'),
            h(getComponent('Markdown', true), { source: guide }),
          )
          return h(React.Fragment, null, h(Original, props), guide === '' ? null : fold)
        },
    },
  }
}
