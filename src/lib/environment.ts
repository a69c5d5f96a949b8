/** The two environments that one executable serves. Each has its own database file, keys and default port. */

export const environments = ['production', 'staging'] as const
export type Environment = (typeof environments)[number]

export const defaultPorts: Readonly<Record<Environment, number>> = { production: 8080, staging: 8081 }
