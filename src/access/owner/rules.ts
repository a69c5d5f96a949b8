/** The rules of the owner's e-mail address and password, and the lifetimes of sessions and set-up links. */

import { toleratedFutureMs } from '../../lib/duration.ts'
import { AppError } from '../../lib/error.ts'

export const shortestPassword = 10
export const longestPasswordBytes = 1_000
export const longestEmail = 254

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export const setupLinkLifetimeMs = 30 * minuteMs
/** A session ends this long after the last input of a person. */
export const idleSessionMs = 7 * dayMs
/** A session ends this long after the sign-in, however much it is used. */
export const longestSessionMs = 30 * dayMs
/** The last moment of a session, in Unix milliseconds. */
export function sessionEnd({ createdAt, lastActiveAt }: SessionTimes): number {
  return Math.min(createdAt + longestSessionMs, lastActiveAt + idleSessionMs)
}

interface SessionTimes {
  /** Unix milliseconds, both. */
  readonly createdAt: number
  readonly lastActiveAt: number
}

export function isLive(session: SessionTimes, nowMs: number): boolean {
  const latestMs = nowMs + toleratedFutureMs
  return session.createdAt <= latestMs && session.lastActiveAt <= latestMs && nowMs < sessionEnd(session)
}

/** Whether a set-up link that was made at `createdAt` (Unix milliseconds) can be used. */
export function isUsable(createdAt: number, nowMs: number): boolean {
  return createdAt <= nowMs + toleratedFutureMs && nowMs < createdAt + setupLinkLifetimeMs
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it rejects
const email = /^[^\s@\u0000-\u001f\u007f-\u009f]+@[^\s@\u0000-\u001f\u007f-\u009f]+$/

/** An e-mail address as it is stored. Throws `invalid_body` for a text that can't be one. */
export function storedEmail(given: string): string {
  const trimmed = given.trim().normalize('NFC')
  if (!email.test(trimmed) || [...trimmed].length > longestEmail || !trimmed.isWellFormed()) {
    throw new AppError('invalid_body', 'email must be an e-mail address, such as ada@example.com.')
  }
  return trimmed
}

/** The form in which e-mail addresses are compared. */
export function comparedEmail(given: string): string {
  return given.trim().normalize('NFC').toLowerCase()
}

/** The form in which a password is hashed: keyboards of different systems compose the same character differently. */
export function hashedPassword(given: string): string {
  return given.normalize('NFC')
}

/** Throws `invalid_body` unless a password may be chosen. */
export function assertPassword(name: string, given: string): void {
  const password = hashedPassword(given)
  const length = [...password].length
  if (length < shortestPassword) {
    throw new AppError('invalid_body', `${name} must have at least ${shortestPassword} characters.`)
  }
  if (new TextEncoder().encode(password).length > longestPasswordBytes) {
    throw new AppError('invalid_body', `${name} must have at most ${longestPasswordBytes} bytes.`)
  }
  if (!password.isWellFormed()) throw new AppError('invalid_body', `${name} must not contain broken Unicode.`)
}
