/**
 * The rules for names of files in archives. Names come from strangers: a name that could reach outside of the site, or
 * that two systems read differently, is an error and never repaired.
 */

import { AppError } from '../../lib/error.ts'

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

/** A name for a message: control characters, invisible marks, quotes and backslashes escaped, at most 200 characters. */
function shown(name: string): string {
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
 * Whether a file is left out of a deploy: what macOS adds (`__MACOSX`), and dotfiles, except those in `.well-known/`.
 */
export function isLeftOut(parts: readonly string[]): boolean {
  if (parts[0] === '__MACOSX') return true
  return parts.some((part, at) => part.startsWith('.') && (part !== '.well-known' || at === parts.length - 1))
}

/** The names of an archive so far, to find those that are the same file on a system that ignores case. */
export function createNameIndex() {
  const files = new Set<string>()
  /** The name of each directory by its folded name. */
  const directories = new Map<string, string>()
  return {
    /**
     * Throws `invalid_body` if the file has the name of an earlier one, of its directory, or of a file above it, or if its
     * directory differs from another one in case alone.
     */
    add(parts: readonly string[]): void {
      const name = parts.join('/')
      const folded = parts.map(fold)
      const path = folded.join('/')
      if (files.has(path)) throw entryError(name, 'occurs twice, or differs from another entry in case alone')
      if (directories.has(path)) throw entryError(name, 'is both a file and a directory')
      files.add(path)
      for (let length = folded.length - 1; length > 0; length--) {
        const directory = folded.slice(0, length).join('/')
        if (files.has(directory)) throw entryError(name, 'is in a directory that is also a file')
        const own = parts.slice(0, length).join('/')
        const other = directories.get(directory)
        if (other !== undefined && other !== own) {
          throw entryError(name, `is in a directory that differs from "${shown(other)}" in case alone`)
        }
        // Then the directories above it are there too.
        if (other !== undefined) break
        directories.set(directory, own)
      }
    },
  }
}

/** Full case folding: upper case first, since `ß` and `SS` are the same on systems that ignore case. */
function fold(text: string): string {
  return text.toUpperCase().toLowerCase().normalize('NFC')
}

/**
 * Finds whether one folder has all files: archives of a folder begin with its name. `.well-known` is part of a site and never
 * such a folder.
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
