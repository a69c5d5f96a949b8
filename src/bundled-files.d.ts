declare module '*.sql' {
  const text: string
  export default text
}

declare module '*.html' {
  const page: Bun.HTMLBundle
  export default page
}

declare module '*.md' {
  const text: string
  export default text
}

declare module '*.csv' {
  const text: string
  export default text
}
