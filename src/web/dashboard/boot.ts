/**
 * Runs before the first paint, as a classic script in the head: sets the colour scheme, so that the page does not flash in
 * the other one. The key and the values are those of Mantine's colour scheme manager.
 */

// The storage is not available in every private window.
let chosen: string | null = null
try {
  chosen = localStorage.getItem('mantine-color-scheme-value')
} catch {}
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
