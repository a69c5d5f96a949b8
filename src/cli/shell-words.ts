/** Words of command lines for bash and zsh. */

/** A text in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A text as one word to paste: in quotes only if it needs them. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : quoted(text)
}
