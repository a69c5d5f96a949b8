/** The parts of Swagger UI that are used here; its package has no types. */

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** React, as far as plugins need it. Swagger UI passes its own copy to them. */
  export interface ReactLike {
    createElement(type: unknown, props: unknown, ...children: unknown[]): Element
    Fragment: unknown
    useEffect(effect: () => undefined | (() => void), dependencies: readonly unknown[]): void
    useRef<T>(initial: T | null): { current: T | null }
    useState<T>(initial: T): [T, (next: T) => void]
  }

  /** A rendered React element. */
  export interface Element {
    readonly type: unknown
  }

  /** An Immutable.js map. */
  export interface ImmutableMap<T = unknown> {
    readonly size: number
    get(name: string): T | undefined
    getIn(path: readonly string[]): unknown
    has(name: string): boolean
    set(name: string, value: unknown): ImmutableMap<T>
    filter(accept: (value: T, name: string) => boolean): ImmutableMap<T>
    entrySeq(): { toArray(): [string, T][] }
  }

  export interface UiSystem {
    readonly React: ReactLike
    getComponent(name: string, container?: boolean): unknown
    readonly specSelectors: {
      specJson(): ImmutableMap
      securityDefinitions(): ImmutableMap
    }
    readonly authSelectors: { authorized(): ImmutableMap }
    readonly authActions: {
      showDefinitions(shown: false): void
      authorizeWithPersistOption(authorizations: object): void
      logoutWithPersistOption(names: readonly string[]): void
    }
  }

  export type Component<Props = object> = (props: Props) => Element | null

  type Selector = (state: unknown, ...keys: string[]) => unknown

  /** A function that creates the plugin from Swagger UI's system. */
  export type UiPlugin = (system: UiSystem) => {
    readonly fn?: {
      /** Resolves to the part of the description at `path`, without references. */
      resolveSubtree(
        description: unknown,
        path: readonly string[],
      ): Promise<{ readonly spec: unknown; readonly errors: readonly Error[] }>
    }
    readonly components?: Readonly<Record<string, Component<never>>>
    readonly wrapComponents?: Readonly<Record<string, (original: unknown) => Component<never>>>
    readonly statePlugins?: Readonly<
      Record<
        string,
        {
          wrapActions?: Readonly<
            Record<string, (original: (...args: never[]) => unknown) => (...args: never[]) => unknown>
          >
          wrapSelectors?: Readonly<Record<string, (original: Selector) => Selector>>
        }
      >
    >
  }

  export interface UiOptions {
    domNode: globalThis.Element
    spec: unknown
    plugins: readonly UiPlugin[]
    layout: string
    queryConfigEnabled: boolean
    validatorUrl: null
    deepLinking: boolean
    persistAuthorization: boolean
    displayRequestDuration: boolean
    /** Whether there is a field that filters the operations. */
    filter: boolean
    defaultModelsExpandDepth: number
    defaultModelExpandDepth: number
    syntaxHighlight: { theme: string }
  }

  const SwaggerUI: (options: UiOptions) => unknown
  // biome-ignore lint/style/noDefaultExport: the package's own
  export default SwaggerUI
}
