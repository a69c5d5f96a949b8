/** Prints every page in the light scheme: browsers do not print backgrounds, and pale text on paper is unreadable. */

const attribute = 'data-mantine-color-scheme'

export function printInLightScheme(): void {
  const root = document.documentElement
  let shown: string | null = null
  addEventListener('beforeprint', () => {
    shown = root.getAttribute(attribute)
    root.setAttribute(attribute, 'light')
  })
  addEventListener('afterprint', () => {
    if (shown !== null) root.setAttribute(attribute, shown)
    shown = null
  })
}
