/** Names the fields that Swagger UI leaves without a name, and removes links and fields inside of buttons. */

import type { ImmutableMap, UiPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

interface ContentTypeProps {
  readonly contentTypes?: { readonly size: number; first(): string; includes(value: unknown): boolean }
  readonly value?: string
  onChange?(value: string): void
  readonly ariaLabel?: string
}

interface BodyProps {
  readonly contentType: string
  readonly isExecute: boolean
  onChange(text: string): void
}

const textFiles = ['text/csv', 'application/x-ndjson']

interface FormProps {
  /** The parameter's name. */
  readonly description?: string
  readonly schema?: ImmutableMap
}

export const fields: UiPlugin = ({ React, getComponent }) => {
  const h = React.createElement

  function labelled(name: string, field: unknown) {
    return h('label', { className: 'field' }, h('span', { className: 'visually-hidden' }, name), field)
  }

  /** Reads a file into the body of the request. */
  function fileField(onRead: (text: string) => void) {
    const read = async ({ target }: { target: HTMLInputElement }) => {
      const [file] = target.files ?? []
      if (file !== undefined) onRead(await file.text())
    }
    return h('input', { type: 'file', className: 'body-file', 'aria-label': 'File to send', onChange: read })
  }

  /** A single content type needs no choice. It is still reported to Swagger UI, as its own component does. */
  function OnlyContentType({ contentTypes, value, onChange }: Required<Omit<ContentTypeProps, 'ariaLabel'>>) {
    const only = contentTypes.first()
    React.useEffect(() => {
      if (value !== only) onChange(only)
      return undefined
    }, [value, only])
    return h('code', { className: 'only-content-type' }, only)
  }

  return {
    components: {
      // The items of a list of ids, for which Swagger UI has no input.
      JsonSchema_integer_int64: (props: object) => h(getComponent('JsonSchema_string'), props),
    },
    wrapComponents: {
      JsonSchemaForm: (Original) => (props: FormProps) => {
        const name = props.description ?? 'Value'
        // A label would name the first button of a list of fields.
        if (props.schema?.get('type') === 'array') {
          return h('div', { role: 'group', 'aria-label': name }, h(Original, props))
        }
        return labelled(name, h(Original, props))
      },
      // For a file of text, Swagger UI has only a text field.
      RequestBody: (Original) => (props: BodyProps) =>
        props.isExecute && textFiles.includes(props.contentType)
          ? h(React.Fragment, null, fileField(props.onChange), h(Original, props))
          : h(Original, props),
      TextArea: (Original) => (props: object) => h(Original, { 'aria-label': 'Request body', ...props }),
      ExamplesSelect: (Original) => (props: object) => labelled('Example', h(Original, props)),
      contentType: (Original) => (props: ContentTypeProps) =>
        props.contentTypes?.size === 1 && props.onChange
          ? h(OnlyContentType, props)
          : h(Original, { ...props, ariaLabel: props.ariaLabel ?? 'Content type' }),
      // Replaces a link inside the button that opens an operation. The button sets the page's address as well.
      DeepLink:
        () =>
        ({ text }: { text: unknown }) =>
          h('span', null, text),
    },
  }
}
