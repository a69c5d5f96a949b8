/**
 * Diagnostics on stderr, as text for people or as JSON lines for programs. Control characters are escaped, so that no
 * request can control the operator's terminal.
 */

import { AppError, messageOf } from './error.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  /** Whether `debug` writes anything, for messages that are expensive to compose. */
  readonly isDebug: boolean
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export interface LogOptions {
  readonly level: LogLevel
  readonly json: boolean
  readonly now: () => number
  /** Returns false for a line that it dropped. */
  readonly write: (line: string) => unknown
}

export function createLog({ level, json, now, write }: LogOptions): Log {
  const threshold = logLevels.indexOf(level)
  const format = json ? jsonLine : textLine
  let dropped = 0

  /** Writes a line. After dropped lines, it first writes their number, as soon as a line is accepted again. */
  function writeLine(line: string): void {
    if (dropped > 0) {
      const notice = 'log lines were dropped because nothing read them'
      if (write(format(new Date(now()), 'warn', notice, { lines: dropped })) !== false) dropped = 0
    }
    if (write(line) === false) dropped++
  }

  const at = (name: LogLevel) => {
    if (logLevels.indexOf(name) < threshold) return () => {}
    return (message: string, fields: LogFields = {}) => writeLine(format(new Date(now()), name, message, fields))
  }
  return { isDebug: threshold === 0, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export const silentLog: Log = createLog({ level: 'silent', json: false, now: () => 0, write: () => {} })

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text that is safe to print on a terminal: C0, C1 and bidirectional control characters as `\u{…}`. */
export function printable(text: string): string {
  return text.replace(controlCharacters, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}

/** JSON that is safe to print on a terminal and that is read as the same value. */
function printableJson(value: object): string {
  return JSON.stringify(value).replace(
    controlCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function jsonLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  return `${printableJson({ time: time.toISOString(), level, message, ...plain(fields, true) })}\n`
}

function textLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const details = Object.entries(plain(fields, level === 'error'))
    .map(([name, value]) => ` ${name}=${printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`)
    .join('')
  return `${time.toISOString()} ${level.padEnd(5)} ${printable(message)}${details}\n`
}

function plain(fields: LogFields, withStack: boolean): Record<string, unknown> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  const entries = present.map(([name, value]) => {
    if (!(value instanceof Error)) return [name, value]
    // The message of an expected error is enough.
    const hasStack = withStack && !(value instanceof AppError)
    return [name, hasStack ? (value.stack ?? value.message) : messageOf(value)]
  })
  return Object.fromEntries(entries)
}
