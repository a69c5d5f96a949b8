/**
 * The layout of the page. It replaces Swagger UI's own layout, which nests a second `main`, leaves out heading levels and
 * offers a choice of servers although there is only one.
 */

import type { UiPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

interface ServerPlace {
  /** Base address of the API. */
  readonly url: string
  /** Production or Staging. */
  readonly environment: string
}

interface PathProps {
  readonly operationProps: { get(name: 'path' | 'method'): string }
}

interface MarkdownProps {
  readonly className?: string
  readonly source: string
}

const escapeStars = (text: string) => text.replaceAll('*', '\\*')

export function layout({ url, environment }: ServerPlace): UiPlugin {
  return ({ React: { createElement: h, Fragment }, getComponent, specSelectors }) => ({
    wrapComponents: {
      // Shows `x-stability` as a badge beside an operation's path, also while the operation is folded.
      OperationSummaryPath: (Original) => (props: PathProps) => {
        const { operationProps } = props
        const place = ['paths', operationProps.get('path'), operationProps.get('method'), 'x-stability']
        // The operation in the props is empty until it is first unfolded.
        const stability = specSelectors.specJson().getIn(place)
        const path = h(Original, props)
        return typeof stability === 'string'
          ? h(Fragment, null, path, h('span', { className: 'stability' }, stability))
          : path
      },
      // The list of values is Markdown, where the stars of `pet.*, order.*` would be emphasis.
      Markdown: (Original) => (props: MarkdownProps) =>
        h(Original, props.className === 'parameter__enum' ? { ...props, source: escapeStars(props.source) } : props),
    },
    statePlugins: {
      spec: {
        wrapSelectors: {
          // Swagger UI shows a response when it ends, and a stream does not end.
          allowTryItOutFor:
            (original) =>
            (state, path = '', ...keys) =>
              path !== '/events/stream' && original(state, path, ...keys),
        },
      },
    },
    components: {
      DocsLayout: () =>
        h(
          'div',
          { className: 'swagger-ui' },
          h(getComponent('SvgAssets'), null),
          h('div', { className: 'wrapper' }, h(getComponent('InfoContainer', true), null)),
          // Above the guide, because a reader with a key uses it first.
          h('div', { className: 'wrapper authorize-bar' }, h(getComponent('AuthorizeBtnContainer', true), null)),
          h('div', { className: 'wrapper' }, h(getComponent('Guide'), null)),
          h('div', { className: 'wrapper' }, h(getComponent('errors', true), null)),
          h(
            'div',
            { className: 'wrapper operations-bar' },
            h('h2', { id: 'operations', tabIndex: -1 }, 'Operations'),
            h('p', null, h('code', null, url), ` ${environment}`),
            h(
              'label',
              { className: 'operations-filter' },
              h('span', { className: 'visually-hidden' }, 'Filter operations by tag or path'),
              h(getComponent('FilterContainer', true), null),
            ),
          ),
          h('div', { className: 'wrapper' }, h(getComponent('operations', true), null)),
          h('div', { className: 'wrapper' }, h(getComponent('Models', true), null)),
          h('div', { className: 'wrapper' }, h(getComponent('Webhooks', true), null)),
        ),
    },
  })
}
