/** The servers in the OpenAPI document: the running environment first, then the other. */

import { defaultPorts, type Environment } from '../../lib/environment.ts'
import { isThisMachine, reachable } from '../../lib/network.ts'

export interface Servers {
  /** The environment whose document it is. */
  readonly running: Environment
  /** Its base address, ending in `/v1`. */
  readonly url: string
  /** The base address of the other environment; undefined if it is not known. */
  readonly otherUrl: string | undefined
}

/** The public base addresses that the operator has configured. */
export type GivenServers = Readonly<Partial<Record<Environment, string | undefined>>>

export interface Place {
  /** The environment that listens at `hostname` and `port`. */
  readonly running: Environment
  readonly hostname: string
  readonly port: number
}

/**
 * The base addresses of both environments. An address that is not configured is one of this machine. For the other
 * environment this applies only while this one cannot be reached from elsewhere: others could not reach it there.
 */
export function serversOf(given: GivenServers, { running, hostname, port }: Place): Servers {
  const url = (environment: Environment) =>
    given[environment] ?? `http://${reachable(hostname)}:${portOf(environment, running, port)}/v1`
  const other = otherThan(running)
  const isLocal = given[running] === undefined && isThisMachine(hostname)
  return { running, url: url(running), otherUrl: isLocal ? url(other) : given[other] }
}

/**
 * The port of `environment` while `running` uses `port`: its default port or, if that is in use, the default of the
 * other.
 */
function portOf(environment: Environment, running: Environment, port: number): number {
  if (environment === running) return port
  return defaultPorts[environment] === port ? defaultPorts[running] : defaultPorts[environment]
}

/** The OpenAPI `servers`. */
export function serverList({ running, url, otherUrl }: Servers) {
  return [entry(running, url), ...(otherUrl === undefined ? [] : [entry(otherThan(running), otherUrl)])]
}

const entry = (environment: Environment, url: string) => ({
  url,
  description: environment === 'production' ? 'Production' : 'Staging',
  'x-internal': false,
})

const otherThan = (environment: Environment): Environment => (environment === 'production' ? 'staging' : 'production')
