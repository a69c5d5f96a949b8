/** What is used here of Swagger UI, whose package has no types. */

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** React's `createElement`, as far as plugins need it. */
  export interface ReactLike {
    createElement(type: unknown, props: unknown, ...children: unknown[]): unknown
    Fragment: unknown
  }

  export interface UiSystem {
    React: ReactLike
    getComponent(name: string, container?: boolean): unknown
    readonly specSelectors: { specJson(): { getIn(place: readonly string[]): unknown } }
  }

  export interface WrappingPlugin {
    wrapComponents: Record<string, (original: unknown, system: UiSystem) => (props: never) => unknown>
  }

  /** A plugin with components of its own. */
  export type ComponentPlugin = (system: UiSystem) => {
    components: Record<string, (props: never) => unknown>
  }

  export type UiPlugin = WrappingPlugin | ComponentPlugin

  export interface UiOptions {
    domNode: Element
    spec: unknown
    plugins: readonly UiPlugin[]
    validatorUrl: null
    deepLinking: boolean
    persistAuthorization: boolean
    displayRequestDuration: boolean
    docExpansion: 'list' | 'full' | 'none'
    defaultModelsExpandDepth: number
    defaultModelExpandDepth: number
    tryItOutEnabled: boolean
    syntaxHighlight: { theme: string }
  }

  const SwaggerUI: (options: UiOptions) => unknown
  // biome-ignore lint/style/noDefaultExport: the package's own
  export default SwaggerUI
}
