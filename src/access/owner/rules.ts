/** The rules of the owner's password, and the lifetimes of sessions and set-up links. */

import { toleratedFutureMs } from '../../lib/duration.ts'
import { AppError } from '../../lib/error.ts'

export const shortestPassword = 10
export const longestPasswordBytes = 1_000

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
