/** The services of this machine: units that `petstore service install` has written. */

import { readFileSync } from 'node:fs'
import type { Environment } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'
import { environmentOption } from '../../lib/shell-words.ts'
import { hasSystemd } from './systemd.ts'
import { readUnit, type Service, serviceOf } from './unit.ts'

export interface InstalledService extends Service {
  /** The store that its unit expects. */
  readonly storeId: string
}

/** The service of an environment; undefined if there is none, or its unit is not one of petstore's. */
export function findService(environment: Environment): InstalledService | undefined {
  const unit = unitOf(environment)
  const found = unit === undefined ? undefined : readUnit(unit)
  return found && { ...serviceOf(environment, found.dataDirectory), storeId: found.storeId }
}

/** The text of the unit; undefined if there is none. */
export function unitOf(environment: Environment): string | undefined {
  try {
    return readFileSync(serviceOf(environment).unitFile, 'utf8')
  } catch {
    return undefined
  }
}

/** Throws `not_found` without systemd, or if there is no such service. */
export function getService(environment: Environment): InstalledService {
  assertSystemd()
  const found = findService(environment)
  if (found) return found
  const { name } = serviceOf(environment)
  throw new AppError(
    'not_found',
    `There is no service ${name} yet. Install it with: sudo petstore service install${environmentOption(environment)}`,
  )
}

/** Throws `not_found` without systemd, with other ways to start with the machine. */
export function assertSystemd(): void {
  if (hasSystemd()) return
  const container = 'in a container, with the compose.yaml that petstore service install prints'
  throw new AppError(
    'not_found',
    `A service needs systemd, which does not run on this machine. Start "petstore serve" with the service manager of this machine, or ${container}.`,
  )
}

/** Throws `conflict` unless the command runs as root. */
export function assertRoot({ isRoot }: { readonly isRoot: boolean }, command: string): void {
  if (!isRoot) throw new AppError('conflict', `Only root may do that. Run: sudo petstore ${command}`)
}
