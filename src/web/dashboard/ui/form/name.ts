/** Names as the API takes them: of animals, categories, keys and projects. */

const usualLongest = 100

/** The problem of a name, in words; undefined if it has none. `request` asks for a name where there is none. */
export function nameProblem(name: string, request: string, longest = usualLongest): string | undefined {
  const trimmed = name.trim()
  if (trimmed === '') return request
  if ([...trimmed].length > longest) return `This name is too long. Use at most ${longest} letters.`
  // A cell that is pasted from a spreadsheet may contain a tab.
  if (/\p{Cc}/u.test(trimmed)) return 'This name contains characters that cannot be shown. Type it anew.'
  return undefined
}
