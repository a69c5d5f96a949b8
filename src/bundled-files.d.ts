declare module '*.sql' {
  const text: string
  export default text
}

declare module '*.md' {
  const text: string
  export default text
}

declare module '*.csv' {
  const text: string
  export default text
}

/** Style sheets; a CSS module exports its class names. */
declare module '*.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}

/** A page, which `Bun.serve` bundles in development. */
declare module '*.html' {
  const page: import('bun').HTMLBundle
  export default page
}

/** Scripts of shells. */
declare module '*.bash' {
  const text: string
  export default text
}

declare module '*.zsh' {
  const text: string
  export default text
}

declare module '*.fish' {
  const text: string
  export default text
}

declare module '*.yaml' {
  const text: string
  export default text
}
