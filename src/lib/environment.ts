/** The two environments that one executable serves: each has a database file, keys and a default port of its own. */

export const environments = ['production', 'staging'] as const
export type Environment = (typeof environments)[number]

export const defaultPorts: Readonly<Record<Environment, number>> = { production: 8080, staging: 8081 }
