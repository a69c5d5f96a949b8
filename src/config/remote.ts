/** The address and the key of a store on another machine. */

import { join } from 'node:path'
import { isThisMachine } from '../lib/network.ts'
import type { EnvironmentVariables } from './read.ts'
import { type OptionValues, text, UsageError } from './values.ts'

export interface RemoteConfig {
  /** `--url`: an address, or the name of a store that `petstore login` keeps. */
  readonly url: string | undefined
  /** `PETSTORE_KEY`. A key is never an option: other users see command lines. */
  readonly key: string | undefined
  /**
   * The directory of the user's configuration of petstore (XDG Base Directory Specification); undefined if there is no
   * home.
   */
  readonly directory: string | undefined
}

/** Throws `UsageError` if the key can't be one. */
export function remoteConfig(values: OptionValues, variables: EnvironmentVariables): RemoteConfig {
  const { PETSTORE_KEY: key, XDG_CONFIG_HOME: configHome = '', HOME: home = '' } = variables
  // A path in the variable that is relative has no meaning.
  const parent = configHome.startsWith('/') ? configHome : home.startsWith('/') ? join(home, '.config') : undefined
  return Object.freeze({
    url: text(values, 'url'),
    key: key ? checkedKey(key, 'PETSTORE_KEY') : undefined,
    directory: parent === undefined ? undefined : join(parent, 'petstore'),
  })
}

/** A key as it was given. Throws `UsageError` if no header could hold it; `name` says what it is. */
export function checkedKey(given: string, name: string): string {
  if (/^[\x21-\x7e]+$/.test(given)) return given
  throw new UsageError(`${name} is not a key: a key begins with pet_live_ or pet_test_ and has no spaces.`)
}

/**
 * The base address of an API, which ends in `/v1`. Throws `UsageError` if `given` is none, or if a key would be sent to
 * another machine unencrypted.
 */
export function apiUrl(given: string): string {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== url.origin + url.pathname) {
    throw new UsageError(`"${given}" is not the address of an API, such as https://api.shop.example.`)
  }
  if (url.protocol === 'http:' && !isThisMachine(url.hostname)) {
    throw new UsageError(`${given} is not encrypted, so that others could read the key: use https.`)
  }
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path}${path.endsWith('/v1') ? '' : '/v1'}`
}
