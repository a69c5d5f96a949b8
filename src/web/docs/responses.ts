/**
 * The responses of an operation, on one screen. Swagger UI repeats every header and an example body under each status.
 * Here the successful response is open and shows only the headers that other responses do not have. The common headers and
 * all other responses are folded below it.
 */

import type { Element, ImmutableMap, UiPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

type Header = ImmutableMap
type Headers = ImmutableMap<Header>
type Response = ImmutableMap

interface ResponsesProps {
  readonly responses: ImmutableMap<Response>
  readonly tryItOutResponse?: ImmutableMap
  readonly producesValue?: unknown
  readonly path: string
  readonly method: string
  readonly specPath: { push(name: string): unknown }
  readonly oas3Selectors: { activeExamplesMember(...place: string[]): unknown }
}

export const responses: UiPlugin = ({ React, getComponent }) => {
  const h = React.createElement

  function markdown(source: unknown): Element {
    return h(getComponent('Markdown', true), { source: String(source ?? '') })
  }

  function headerList(headers: readonly [string, Header][]): Element {
    return h(
      'dl',
      { className: 'header-list' },
      ...headers.flatMap(([name, header]) => [
        h('dt', { key: name }, h('code', null, name), ` ${header.getIn(['schema', 'type']) ?? ''}`),
        h('dd', { key: `${name} description` }, markdown(header.get('description'))),
      ]),
    )
  }

  function fold(title: string, list: string, ...children: unknown[]): Element {
    const summary = h('summary', null, h('strong', null, title), ' ', h('span', null, list))
    return h('details', { className: 'response-fold' }, summary, ...children)
  }

  /** A response without content or an error response, with its error codes and their messages. */
  function otherResponse(status: string, response: Response, common: Headers | undefined): Element {
    const own = ownHeaders(response, common)
    return h(
      'section',
      { className: 'other-response', key: status },
      h('strong', null, status),
      h(
        'div',
        null,
        markdown(withoutCodes(response.get('description'))),
        h(
          'ul',
          null,
          ...errorsOf(response).map(([code, message]) => h('li', { key: code }, h('code', null, code), ` ${message}`)),
        ),
        own?.size ? headerList(own.entrySeq().toArray()) : null,
      ),
    )
  }

  return {
    components: {
      // Used by Swagger UI's own component of a single response.
      headers: ({ headers }: { headers: Headers }) =>
        headers.size === 0
          ? null
          : h(
              'div',
              { className: 'headers-wrapper' },
              h('h5', null, 'Headers'),
              headerList(headers.entrySeq().toArray()),
            ),

      responses: (props: ResponsesProps) => {
        const { tryItOutResponse, path, method, oas3Selectors } = props
        const all = props.responses.filter((_, status) => !status.startsWith('x-'))
        const common = commonHeaders(all)
        const entries = all.entrySeq().toArray()
        const shown = entries.filter(([status]) => isSuccess(status))
        const others = entries.filter(([status]) => !isSuccess(status))
        return h(
          'div',
          { className: 'responses-wrapper' },
          h('div', { className: 'opblock-section-header' }, h('h4', null, 'Responses')),
          h(
            'div',
            { className: 'responses-inner' },
            h(
              'div',
              { 'aria-live': 'polite' },
              tryItOutResponse
                ? h(getComponent('liveResponse'), { ...props, response: tryItOutResponse, getComponent })
                : null,
            ),
            tryItOutResponse ? h('h4', null, 'Documented responses') : null,
            h(
              'table',
              { className: 'responses-table' },
              h(
                'tbody',
                null,
                ...shown.map(([status, response]) =>
                  h(getComponent('response'), {
                    ...props,
                    key: status,
                    specPath: props.specPath.push(status),
                    code: status,
                    className: String(tryItOutResponse?.get('status')) === status ? 'response_current' : '',
                    response: response.set('headers', ownHeaders(response, common)),
                    contentType: props.producesValue,
                    activeExamplesKey: oas3Selectors.activeExamplesMember(path, method, 'responses', status),
                    getComponent,
                  }),
                ),
              ),
            ),
            !common?.size
              ? null
              : fold('Headers of every response', names(common), headerList(common.entrySeq().toArray())),
            others.length === 0
              ? null
              : fold(
                  'Other responses',
                  others.map(([status]) => status).join(', '),
                  ...others.map(([status, response]) => otherResponse(status, response, common)),
                ),
          ),
        )
      },
    },
  }
}

function isSuccess(status: string): boolean {
  return status.startsWith('2')
}

function headersOf(response: Response): Headers | undefined {
  return response.get('headers') as Headers | undefined
}

/** The headers that all responses have. */
function commonHeaders(all: ImmutableMap<Response>): Headers | undefined {
  const [first, ...rest] = all
    .entrySeq()
    .toArray()
    .map(([, response]) => headersOf(response))
  return first?.filter((_, name) => rest.every((headers) => headers?.has(name)))
}

function ownHeaders(response: Response, common: Headers | undefined): Headers | undefined {
  return headersOf(response)?.filter((_, name) => !common?.has(name))
}

function names(headers: Headers): string {
  return headers
    .entrySeq()
    .toArray()
    .map(([name]) => name)
    .join(', ')
}

/** Error codes with their messages. */
function errorsOf(response: Response): [code: string, message: string][] {
  const examples = response.getIn(['content', 'application/json', 'examples']) as ImmutableMap<ImmutableMap> | undefined
  return (
    examples
      ?.entrySeq()
      .toArray()
      .map(([code, example]) => [code, String(example.getIn(['value', 'message']))]) ?? []
  )
}

/** Removes the error codes from a description, because the list below it contains them. */
function withoutCodes(description: unknown): string {
  return String(description ?? '').replace(/\s*`code` is .*$/s, '')
}
