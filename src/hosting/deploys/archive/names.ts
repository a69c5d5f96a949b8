/**
 * The rules for names of files in archives. Names come from strangers: a name that could reach outside of the site, or
 * that two systems read differently, is an error and never repaired.
 */

import { AppError } from '../../../lib/error.ts'

/** The most bytes that the UTF-8 form of a path may have. */
const maximumPathBytes = 1024

/** `invalid_body` that names the entry; `fault` follows the name: `is a link`. */
export function entryError(name: string, fault: string): AppError {
  return new AppError('invalid_body', `The archive is rejected: its entry "${shown(name)}" ${fault}.`)
}

/** `invalid_body` about the archive as a whole; `fault` is a sentence without a full stop. */
export function archiveError(fault: string, cause?: unknown): AppError {
  return new AppError('invalid_body', `The archive is rejected: ${fault}.`, cause === undefined ? {} : { cause })
}

/**
 * A name for a message: control characters, invisible marks, quotes and backslashes escaped, at most 200 characters.
 */
export function shown(name: string): string {
  const characters = [...name.slice(0, 400)]
  const text = characters
    .slice(0, 200)
    .join('')
    .replace(/["\\\p{C}\p{Zl}\p{Zp}]/gu, escaped)
  return characters.length > 200 || name.length > 400 ? `${text}…` : text
}

function escaped(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** The rest of the sentence about a file of a store in a deploy. */
export const storeAdvice =
  ' and would publish keys and customers. Put the files of the website into a separate folder, and deploy that'

/** Decodes UTF-8. Returns undefined if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * The parts of a name, in NFC, without empty parts and `.`; none for the root itself. Throws `invalid_body` for a name
 * that is absolute, contains `..`, a backslash or a control character, or is too long.
 */
export function partsOf(name: string): readonly string[] {
  if (name === '') throw entryError(name, 'has no name')
  if (/[\p{Cc}\p{Cs}]/u.test(name)) throw entryError(name, 'has a control character in its name')
  if (name.includes('\\')) throw entryError(name, 'has a backslash in its name; the separator is /')
  if (name.startsWith('/')) throw entryError(name, 'has an absolute path')
  if (/^[A-Za-z]:/.test(name)) throw entryError(name, 'begins like the drive of an absolute path; rename it')
  const parts = name.normalize('NFC').split('/')
  if (leadsOut(parts)) throw entryError(name, 'leads out of the archive')
  if (parts.includes('..')) throw entryError(name, 'has ".." in its path; leave it out')
  if (Buffer.byteLength(name) > maximumPathBytes) {
    throw entryError(name, `has a name of more than ${maximumPathBytes} bytes`)
  }
  return parts.filter((part) => part !== '' && part !== '.')
}

function leadsOut(parts: readonly string[]): boolean {
  let depth = 0
  return parts.some((part) => {
    if (part === '..') depth--
    else if (part !== '' && part !== '.') depth++
    return depth < 0
  })
}

/**
 * Whether a file is left out of a deploy: what macOS adds (`__MACOSX`), `node_modules/`, and dotfiles, except those in
 * `.well-known/`.
 */
export function isLeftOut(parts: readonly string[]): boolean {
  if (parts[0] === '__MACOSX' || parts.includes('node_modules')) return true
  return parts.some((part, at) => part.startsWith('.') && (part !== '.well-known' || at === parts.length - 1))
}

/**
 * Whether an entry is left out of a deploy by the name that it has in the archive. Nothing else of it is judged: as in
 * a folder, it may be a link or anything else. A name with `..` is never left out, since it may lead elsewhere.
 */
export function isIgnored(name: string): boolean {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  return !parts.includes('..') && isLeftOut(parts)
}

/** A directory by the name that it has in the archive, with its entries by their folded names. */
interface Directory {
  readonly name: string
  readonly entries: Map<string, Directory | 'file'>
}

/**
 * The names of an archive so far, to find those that are the same file on a system that ignores case. They are kept as
 * a tree: the paths of all directories above a long name would be hundreds of times as long as the name.
 */
export function createNameIndex(maximumDirectories: number) {
  const root: Directory = { name: '', entries: new Map() }
  let directoryCount = 0

  function directoryAt(parent: Directory, parts: readonly string[], depth: number): Directory {
    const name = parts[depth] ?? ''
    const folded = fold(name)
    const found = parent.entries.get(folded)
    if (found === 'file') throw entryError(parts.join('/'), 'is in a directory that is also a file')
    if (found === undefined) {
      if (++directoryCount > maximumDirectories)
        throw archiveError(`it has more than ${maximumDirectories} directories`)
      const added: Directory = { name, entries: new Map() }
      parent.entries.set(folded, added)
      return added
    }
    if (found.name !== name) {
      const other = [...parts.slice(0, depth), found.name].join('/')
      throw entryError(parts.join('/'), `is in a directory that differs from "${shown(other)}" in case alone`)
    }
    return found
  }

  return {
    /**
     * Throws `invalid_body` if the file has the name of an earlier one, of its directory, or of a file above it, if its
     * directory differs from another one in case alone, or if there are too many directories.
     */
    add(parts: readonly string[]): void {
      let directory = root
      const last = parts.length - 1
      for (let depth = 0; depth < last; depth++) directory = directoryAt(directory, parts, depth)
      const folded = fold(parts[last] ?? '')
      const found = directory.entries.get(folded)
      if (found === 'file')
        throw entryError(parts.join('/'), 'occurs twice, or differs from another entry in case alone')
      if (found !== undefined) throw entryError(parts.join('/'), 'is both a file and a directory')
      directory.entries.set(folded, 'file')
    },
  }
}

/** Full case folding: upper case first, since `ß` and `SS` are the same on systems that ignore case. */
function fold(text: string): string {
  return text.toUpperCase().toLowerCase().normalize('NFC')
}

/**
 * Finds whether one folder has all files: archives of a folder begin with its name. `.well-known` is part of a site and
 * never such a folder.
 */
export function createTopFolder() {
  let top: string | undefined
  let isShared = true
  return {
    add(parts: readonly string[]): void {
      top ??= parts[0]
      isShared &&= parts.length > 1 && parts[0] === top && top !== '.well-known'
    },
    /** Whether every name that was added is in the same folder. */
    exists: () => isShared,
  }
}
