/** Stores on other machines: which one a command means, and requests to its API. */

import { storeConfig } from '../../config/config.ts'
import type { EnvironmentVariables } from '../../config/read.ts'
import { apiUrl, type RemoteConfig, remoteConfig } from '../../config/remote.ts'
import { type OptionValues, UsageError } from '../../config/values.ts'
import { AppError } from '../../lib/error.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'
import { type Client, createClient, ServerEnded } from './api-client.ts'
import { isStoreThere } from './local.ts'
import { type Login, readLogins } from './logins.ts'

/** A store on another machine; `name` is that of the login, if the key is from one. */
export type RemoteStore = Omit<Login, 'name'> & { readonly name: string | undefined }

/**
 * The store that a command means, or undefined for one on this machine: the one of `--url`, else that of `--data` or
 * `--environment`, else the one in `./data`, else the one of the latest login. Throws `UsageError` without a key for
 * `--url`.
 */
export function remoteStore(values: OptionValues, variables: EnvironmentVariables): RemoteStore | undefined {
  const config = remoteConfig(values, variables)
  if (config.url !== undefined) return storeAt(config.url, config)
  if (values['data'] !== undefined || values['environment'] !== undefined) return undefined
  return isStoreThere(storeConfig(values)) ? undefined : readLogins(config).at(-1)
}

function storeAt(given: string, config: RemoteConfig): RemoteStore {
  const logins = readLogins(config)
  const login = logins.findLast(({ name }) => name === given) ?? loginAt(apiUrl(given), logins)
  if (config.key !== undefined) return { url: login?.url ?? apiUrl(given), key: config.key, name: undefined }
  if (login) return login
  throw new UsageError(`There is no key for ${given}: set PETSTORE_KEY, or run petstore login ${given}.`)
}

const loginAt = (url: string, logins: readonly Login[]) => logins.findLast((login) => login.url === url)

/** Its address, and the login that the key is from. */
export function describeRemote({ url, name }: RemoteStore): string {
  return name === undefined ? url : `${url} (petstore login, ${name})`
}

/** A client of the API at `url`, which acts with the key. Nothing is sent before its first request. */
export function remoteClient({ url, key }: Pick<RemoteStore, 'url' | 'key'>): Client {
  return createClient(
    async (path, init) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${key}`)
      const response = await fetch(`${url}${path}`, {
        ...init,
        headers,
        // It would lead the key elsewhere.
        redirect: 'manual',
        // Without encryption a proxy on another machine would read the key.
        ...(url.startsWith('http:') ? { proxy: false as const } : {}),
        timeout: false,
      })
      // A website, a redirect or another service: every response of the API has such an id.
      if (response.headers.get('x-request-id')?.startsWith('req_') !== true) {
        throw new AppError(
          'storage_unavailable',
          `${url} answered with status ${response.status}, which is not a response of the API.`,
        )
      }
      return response
    },
    (cause, method) => {
      if (codeOf(cause) !== 'ECONNRESET') {
        return new AppError('storage_unavailable', `${url} can't be reached: ${systemReason(cause)}.`, { cause })
      }
      return new ServerEnded(`The connection to ${url}`, method, cause)
    },
  )
}
