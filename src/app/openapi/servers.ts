/** The servers in the OpenAPI document: the running environment first, then the other. */

import { defaultPorts, type Environment, environments } from '../../lib/environment.ts'
import { reachable } from '../../lib/network.ts'

export interface Servers {
  /** The environment whose document it is. */
  readonly running: Environment
  /** Base addresses, ending in `/v1`. */
  readonly urls: Readonly<Record<Environment, string>>
}

/** The public base addresses that the operator has configured. */
export type GivenServers = Readonly<Partial<Record<Environment, string | undefined>>>

export interface Place {
  /** The environment that listens at `hostname` and `port`. */
  readonly running: Environment
  readonly hostname: string
  readonly port: number
}

/** The base addresses of both environments. An address that is not configured is that of this machine. */
export function serversOf(given: GivenServers, { running, hostname, port }: Place): Servers {
  const url = (environment: Environment) =>
    given[environment] ?? `http://${reachable(hostname)}:${portOf(environment, running, port)}/v1`
  return { running, urls: { production: url('production'), staging: url('staging') } }
}

/** The port of `environment` while `running` uses `port`: its default port or, if that is in use, the default of the other. */
function portOf(environment: Environment, running: Environment, port: number): number {
  if (environment === running) return port
  return defaultPorts[environment] === port ? defaultPorts[running] : defaultPorts[environment]
}

/** The OpenAPI `servers`. */
export function serverList({ running, urls }: Servers) {
  const others = environments.filter((environment) => environment !== running)
  return [running, ...others].map((environment) => ({
    url: urls[environment],
    description: environment === 'production' ? 'Production' : 'Staging',
    'x-internal': false,
  }))
}
